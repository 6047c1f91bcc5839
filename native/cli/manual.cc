// SPDX-License-Identifier: Apache-2.0
// Manual pages in the macros of man(7), and the commands `man` and `completion`. A page has no
// date, so that two builds of one source give the same bytes.
#include <sys/stat.h>

#include "core/base/strings.h"
#include "native/cli/api_json.h"
#include "native/cli/command.h"
#include "native/cli/describe.h"
#include "native/cli/report.h"

namespace tern::cli {
namespace {

// Text that roff prints as it is. A '-' would become a hyphen, a '\' begins an escape, and a line
// that begins with '.' or "'" is a request; "\&" in front is nothing, so it is none.
std::string Escape(std::string_view text) {
  std::string out;
  if (text.starts_with('.') || text.starts_with('\'')) out = "\\&";
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

std::string PageName(const VerbText& verb) {
  return verb.name.empty() ? std::string("tern") : StrCat("tern-", verb.name);
}

void AppendOption(const OptionText& option, std::string* page) {
  StrAppend(page, ".TP\n");
  std::string names;
  for (const std::string& name : option.names)
    StrAppend(&names, names.empty() ? "" : ", ", "\\fB", Escape(name), "\\fR");
  if (option.positional) {
    // An argument is known by its place and has no value to name.
    names = StrCat("\\fI", Escape(option.names[0]), "\\fR");
  } else if (!option.value.empty()) {
    const std::string value =
        option.choices.empty() ? Escape(option.value) : Escape(StrJoin(option.choices, "|"));
    StrAppend(&names, option.optional_value ? "[=\\fI" : " \\fI", value,
              option.optional_value ? "\\fR]" : "\\fR");
  }
  StrAppend(page, names, "\n", Escape(option.phrase), option.required ? " (required)" : "",
            option.repeats ? " (may be given more than once)" : "", "\n");
}

// No heading without an option below it.
void AppendOptions(const VerbText& verb, bool positional, const char* title, std::string* page) {
  bool first = true;
  for (const OptionText& option : verb.options) {
    if (option.positional != positional) continue;
    if (first) StrAppend(page, ".SH ", title, "\n");
    first = false;
    AppendOption(option, page);
  }
}

// Arguments alone: a verb may have twenty options, which have a section of their own.
void AppendSynopsis(const VerbText& verb, std::string* page) {
  StrAppend(page, ".SH SYNOPSIS\n\\fBtern\\fR ",
            verb.name.empty() ? "\\fIVERB\\fR" : StrCat("\\fB", Escape(verb.name), "\\fR"));
  for (const OptionText& option : verb.options) {
    if (!option.positional) continue;
    const std::string name = StrCat("\\fI", Escape(option.names[0]), "\\fR");
    StrAppend(page, " ", option.required ? name : StrCat("[", name, "]"));
  }
  StrAppend(page, " [\\fIOPTIONS\\fR]\n");
}

void AppendVerbs(const ToolText& tool, std::string* page) {
  StrAppend(page, ".SH VERBS\n");
  for (const VerbText& verb : tool.verbs)
    StrAppend(page, ".TP\n\\fBtern\\-", Escape(verb.name), "\\fR(1)\n", Escape(verb.phrase), "\n");
}

// Writes every page into the folder: tern.1, tern-run.1 and so on.
Status WritePages(const ToolText& tool, const std::string& folder, const GlobalOptions& globals) {
  mkdir(folder.c_str(),
        0777);  // one that is there is as good; one that cannot be made is told below
  const auto write = [&](const VerbText& verb) {
    return native::WriteFile(StrCat(folder, "/", PageName(verb), ".1"),
                             std::string_view(ManualPage(tool, verb)));
  };
  // tern.1 first, which the pages of all verbs refer to.
  TERN_TRY(write(tool.tool));
  for (const VerbText& verb : tool.verbs) TERN_TRY(write(verb));
  if (!globals.json()) return Status();
  JsonWriter json = BeginAnswer();
  json.Field("folder", folder).Field("pages", tool.verbs.size() + 1).EndObject();
  Print(StrCat(json.text(), "\n"));
  return Status();
}

void PrintText(const GlobalOptions& globals, const char* member, std::string_view name,
               const std::string& text) {
  if (!globals.json()) return Print(text);
  JsonWriter json = BeginAnswer();
  json.Field(member, name).Field("text", text).EndObject();
  Print(StrCat(json.text(), "\n"));
}

Status Manual(const ToolText& tool, const std::string& name, const std::string& folder,
              const GlobalOptions& globals) {
  if (folder == "-")
    return UsageError("E0003", "--all writes files into a folder, which '-' cannot be")
        .AddNote("help: tern man VERB prints one page")
        .Clone();
  if (!folder.empty()) return WritePages(tool, folder, globals);
  const VerbText* const verb = name.empty() ? &tool.tool : tool.Find(name);
  if (verb == nullptr) {
    Status status = UsageError("E0001", StrCat("unknown command '", name, "'"));
    std::vector<std::string> known;
    for (const VerbText& one : tool.verbs) known.push_back(one.name);
    const std::string_view near = DidYouMean(name, known);
    if (!near.empty()) status.AddNote(StrCat("help: did you mean '", near, "'?"));
    return std::move(status.AddNote("help: tern --help"));
  }
  PrintText(globals, "page", PageName(*verb), ManualPage(tool, *verb));
  return Status();
}

}  // namespace

std::string ManualPage(const ToolText& tool, const VerbText& verb) {
  std::string title = PageName(verb);
  // By hand and not by the locale: titles are ASCII, and a page is the same on every machine.
  for (char& c : title) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  std::string page =
      StrCat(".TH ", Escape(title), " 1 \"\" \"tern ", VersionText(), "\" \"Tern\"\n");
  StrAppend(&page, ".SH NAME\n", Escape(PageName(verb)), " \\- ", Escape(verb.phrase), "\n");
  AppendSynopsis(verb, &page);
  AppendOptions(verb, true, "ARGUMENTS", &page);
  if (verb.name.empty()) AppendVerbs(tool, &page);
  AppendOptions(verb, false, "OPTIONS", &page);
  if (!verb.name.empty()) AppendOptions(tool.tool, false, "OPTIONS OF ALL VERBS", &page);
  if (!verb.examples.empty()) {
    // Without filling, because lines of a shell must not be joined.
    StrAppend(&page, ".SH EXAMPLES\n.nf\n");
    for (const std::string& line : verb.examples) StrAppend(&page, Escape(line), "\n");
    StrAppend(&page, ".fi\n");
  }
  StrAppend(&page, ".SH EXIT STATUS\n");
  for (const ExitText& exit : kExitTexts)
    StrAppend(&page, ".TP\n", static_cast<int>(exit.code), "\n", Escape(exit.phrase), "\n");
  if (!verb.name.empty()) StrAppend(&page, ".SH SEE ALSO\n\\fBtern\\fR(1)\n");
  return page;
}

CommandAction SetupManual(CLI::App* app, const GlobalOptions* globals) {
  auto verb = std::make_shared<std::string>();
  auto folder = std::make_shared<std::string>();
  app->add_option("verb", *verb, "of which verb; without one, of tern itself");
  app->add_option("--all", *folder, "write every page into this folder");
  return [=] { return Manual(DescribeTool(*app->get_parent()), *verb, *folder, *globals); };
}

CommandAction SetupCompletion(CLI::App* app, const GlobalOptions* globals) {
  auto shell = std::make_shared<std::string>();
  app->add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kShells), std::end(kShells))));
  return [=] {
    const ToolText tool = DescribeTool(*app->get_parent());
    PrintText(*globals, "shell", *shell, CompletionScript(tool, *shell));
    return Status();
  };
}

}  // namespace tern::cli
