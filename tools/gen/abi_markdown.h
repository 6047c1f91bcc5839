// SPDX-License-Identifier: Apache-2.0
// docs/abi.md quotes the layouts of core/abi/abi.h: each region between [abi:NAME-begin] and
// [abi:NAME-end] there stands between <!-- abi:NAME-begin --> and <!-- abi:NAME-end --> here.
#ifndef TERN_TOOLS_GEN_ABI_MARKDOWN_H_
#define TERN_TOOLS_GEN_ABI_MARKDOWN_H_

#include <string>
#include <string_view>
#include <vector>

namespace tern::gen {

// The names of the header's regions, in order. Empty where a mark has no partner.
std::vector<std::string> AbiRegions(std::string_view header);
// `document` with every region as it is in the header; empty where the document lacks one, which is
// then named in *missing.
std::string QuoteAbi(std::string_view document, std::string_view header, std::string* missing);

}  // namespace tern::gen

#endif  // TERN_TOOLS_GEN_ABI_MARKDOWN_H_
