// SPDX-License-Identifier: Apache-2.0
// What each pane is for, in three sentences: what it shows, what can be done there, and what is
// easily missed; and the section of the documentation that has more.

export interface PaneHelp {
  readonly lines: readonly [shows: string, does: string, more: string];
  /** The heading of docs/playground.md as an anchor. */
  readonly section: string;
}

const of = (section: string, panes: Record<string, PaneHelp['lines']>): [string, PaneHelp][] =>
  Object.entries(panes).map(([id, lines]) => [id, { lines, section }]);

const kRun = of('the-recorded-run', {
  run: [
    'The controls of the machine, and the inputs of the function that it runs.',
    'Step does one instruction, Run goes to a breakpoint or the end; Back and the line below go ' +
      'to any step before.',
    'Nothing is computed twice: a run is recorded while it goes, and stays when it has returned.',
  ],
  draw: [
    'A square to draw a digit in, and what the network makes of it.',
    'Draw with mouse, finger or arrow keys, or take one of the samples.',
    'The drawing is an input of the run: step through it to see each layer.',
  ],
  program: [
    'What is loaded: its functions, constants, primitives and sections.',
    'Open… takes programs, models, records and inputs; files may also be dropped or pasted.',
    'Save the state writes program, inputs, breakpoints and step as one file.',
  ],
  registers: [
    'What each register of the frame holds at this step; what the last step changed is marked.',
    'Pick a register to see all of its value in Output, and to look into a tensor in Tensor.',
    'Each call has registers of its own: choose its frame where several are open.',
  ],
  output: [
    'What the program has returned, and the register that is picked.',
    'Pick a tensor’s axes to see other slices of it; its table can be saved as a file.',
    'One step back from the end the outputs are still registers.',
  ],
});

const kOfRuns = of('the-panes-of-a-run', {
  bytecode: [
    'The instructions of the program; the next one to run is marked, jumps are arrows.',
    'Click the ring before a row, or press b, for a breakpoint; the filter takes op:, fn:, reg:, ' +
      'src:.',
    'The numbers at the end say how often each ran in the record and what it gave last.',
  ],
  timeline: [
    'The whole record in one line: depth of calls, place in the code, memory, NaN.',
    'Drag, or use the arrows; digits and Enter go to a step, PgUp and PgDn to another call.',
    'Of long runs each column stands for many steps.',
  ],
  lifetimes: [
    'A bar for each value that a register held, from where it was made to where it ended.',
    'Pick a bar to go to the instruction that made it.',
    'Hatched is what was held after its last use: memory that could have been free.',
  ],
  frames: [
    'The calls that have not returned, the innermost first.',
    'Pick one to see its registers.',
    'Deep recursion is folded: ×97 stands for 97 calls alike.',
  ],
  heap: [
    'The objects of the run: tensors, lists, closures, texts, with their bytes.',
    'Choose what lives now, all of the run, what leaked, or what changed between two steps.',
    'Pick an object to read who holds it.',
  ],
  shapes: [
    'The slots in which sizes that only a run knows are kept, and the rules about them.',
    'Each rule stands there with the numbers of this run put in.',
    'Where shapes do not fit, the rule that failed is marked.',
  ],
  breakpoints: [
    'Where and when a run stops: places, conditions, the first NaN, large allocations.',
    'Type one such as @main:3 if %0 > 2; the box before it switches it off for a while.',
    'Below are the limits at which every run rests.',
  ],
  explain: [
    'What is picked, or about to run, in words.',
    'Pick an instruction or a register elsewhere to read about it.',
    'The choice above says how much of each step a screen reader is told.',
  ],
});

const kOfTexts = of('source-stages-and-problems', {
  source: [
    'The program’s text, in the language or in assembly.',
    'Edit it: mistakes are underlined as you type, Run compiles what stands there.',
    'Click beside a line for a breakpoint; the numbers there say how often it ran.',
  ],
  stages: [
    'What each pass of the compiler made of the program, down to the bytecode.',
    'Pick a stage, or press j and k; changes shows what is new since the one before.',
    'What is under the caret is lit in the text and in the bytecode too.',
  ],
  problems: [
    'What is wrong with the text, and what loading or running ended with.',
    'A place leads there, a fix is applied by its button.',
    'F8 walks the findings in the text.',
  ],
});

const kOfLanes = of('lanes', {
  lanes: [
    'One loop in three ways: fixed vectors, scalable ones with a clean-up, and masked ones.',
    'Turn vscale, the length of the machine’s vectors; arrows walk from cell to cell.',
    'A row is an iteration, a cell a lane with the number of its element.',
  ],
  loop: [
    'The loop program that all of this preset is about.',
    'Choose another, or edit formula and schedule: everything follows.',
    'What is wrong with it stands below; the picture stays that of the last one without errors.',
  ],
  'loop-stages': [
    'What the loop becomes under the picked strategy, up to LLVM IR, AArch64 code and WebAssembly.',
    'Choose stage and strategy; the loop of the picked cell is marked.',
    'Comments say what scalable types are at this vscale.',
  ],
  counters: [
    'What each strategy does at this vscale, counted by the core.',
    'A, B and C are the three columns of Lanes.',
    'Small programs are also run in full, to see that both count the same.',
  ],
  sweep: [
    'The three strategies at every vscale from 1 to 16.',
    'Choose what is drawn; a click goes to that vscale.',
    'Hollow marks are lengths that no processor has. Run as WebAssembly times the code itself.',
  ],
  footprint: [
    'The cache lines that the picked iteration touches, a strip for each array.',
    'Pick another cell in Lanes to see its iteration.',
    'A box is a line of 64 bytes; what the mask has switched off is counted apart.',
  ],
});

const kOfTensors = of('tensors-profile-memory-plan', {
  inspector: [
    'One tensor in full: heatmap, picture or sound, table, histogram, figures, layout, bytes.',
    'Pick a register first; axes of more than two dimensions are chosen by sliders.',
    'Compare finds the worst element; an element of an input can be changed and run again.',
  ],
  profile: [
    'Where the time goes: calls in order, put together, by name, or below the machine’s best.',
    'Profile runs the function once cold, then warm; Enter zooms into a call.',
    'It is saved for Chrome’s tracing and for speedscope.',
  ],
  ops: [
    'Time, rates and allocated memory of each operator, added up.',
    'Keep as baseline compares the next profile with this one.',
    'Operators of other shapes stand apart.',
  ],
  plan: [
    'Where the compiler lays the tensors of a model: steps to the right, bytes upwards.',
    'Pick a tensor to see which node makes it; choose sizes to see other plans.',
    'No plan can lie below what is alive at once, which is drawn behind.',
  ],
  graph: [
    'What the file of an ONNX model says: inputs, nodes, outputs.',
    'Drag and zoom, walk by arrows, or search for operators and names.',
    'A node leads to the instructions that were made of it.',
  ],
});

const kOfCompare = of('two-runs', {
  compare: [
    'Two runs side by side: A, which was kept, and B, the one that is shown.',
    'Run, keep the run, change something, run again.',
    'Of tensors it tells the elements that are farthest apart.',
  ],
  'compare-a': [
    'The run that was kept, around the picked difference.',
    'It stays while other programs are loaded.',
    'It is gone when the page is.',
  ],
  'compare-b': [
    'The run that is shown, around the picked difference.',
    'Go there in run B shows that step in all panes.',
    'Each new run takes its place.',
  ],
  divergences: [
    'Every place where the two runs differ, the first one first.',
    'Pick one to see it in the middle.',
    'What merely follows from an earlier difference is left out.',
  ],
});

const kOfTour = of('tour', {
  lesson: [
    'Six lessons, from bytecode to vectors of any length.',
    'Do what the tasks say in the panes beside; each is ticked when it is done.',
    'Leave at any time: where you were is kept in this browser.',
  ],
});

export const kPaneHelp: Readonly<Record<string, PaneHelp>> = Object.fromEntries([
  ...kRun, ...kOfRuns, ...kOfTexts, ...kOfLanes, ...kOfTensors, ...kOfCompare, ...kOfTour,
]);
