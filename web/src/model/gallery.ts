// SPDX-License-Identifier: Apache-2.0
// What comes with the page, as one table: programs (files of web/examples) and models, each with
// what it is, what is worth looking at, and the words it is found by. The gallery, the choices of
// the Source and Loop panes and the palette are made from it.
import type { SourceKind } from './source-kind.js';

export type GalleryGroup = keyof typeof kGalleryGroups;

export const kGalleryGroups = {
  models: 'Models of our own',
  language: 'The language',
  failing: 'What goes wrong',
  assembly: 'Assembly',
  loops: 'Vector loops',
  founding: 'Examples of the founding documents',
} as const;

/** On the badge of each card; beside the group's heading no more than a mark. */
export const kGroupLetters: Readonly<Record<GalleryGroup, string>> = {
  models: 'M', language: 'L', failing: '!', assembly: 'A', loops: 'V', founding: 'F',
};

export interface GalleryEntry {
  /** The name of its file, and in links: for ever. */
  readonly id: string;
  readonly kind: SourceKind | 'model';
  readonly group: GalleryGroup;
  readonly title: string;
  readonly about: string;
  /** What is worth looking at. */
  readonly look: string;
  readonly tags: readonly string[];
  /** Its text is written when it is opened (generated-programs.ts): there is no file of it. */
  readonly isGenerated?: boolean;
  /** Of a loop program: what it is looked at with at first. */
  readonly n?: number;
  readonly vscale?: number;
}

type Facts = Omit<GalleryEntry, 'kind' | 'group'>;

const kModels: readonly Facts[] = [
  { id: 'text_model', title: 'a text generator',
    about: 'Counts which letter follows two others, then draws new text from the counts.',
    look: 'Change 0.8, the temperature, to 0.2 or 2.0 and run again; the seed is the 7.',
    tags: ['text', 'sampling', 'maps'] },
  { id: 'tone_detector', title: 'which key of a telephone?',
    about: 'Makes the sound of a key, with noise, and finds its two tones by sines and cosines.',
    look: 'The second result: seven strengths, two of which stand out. Try other pitches in main.',
    tags: ['sound', 'signal', 'matmul'] },
  { id: 'voice_activity', title: 'voice activity',
    about: 'Tells in which frames of a sound somebody speaks, by loudness, with a frame of rest.',
    look: 'The marks beside the levels; and the recording as a heatmap in Tensor.',
    tags: ['sound', 'signal'] },
  { id: 'edges', title: 'a disc cut out: segmentation',
    about: 'Smooths a noisy picture, takes what is bright as the mask, and finds its edge.',
    look: 'Step to the end, then pick picture, mask and edge in Registers: each is a heatmap.',
    tags: ['image', 'convolution', 'segmentation'] },
  { id: 'attention', title: 'one head of attention',
    about: 'Each row asks the rows before it how alike they are, and mixes their values.',
    look: 'The weights as a heatmap: nothing above the diagonal, each row sums to one.',
    tags: ['transformer', 'softmax', 'matmul'] },
  { id: 'mlp', title: 'two layers: exclusive or',
    about: 'Two products of matrices and a relu compute what one layer cannot.',
    look: 'The hidden layer: relu makes the four points separable.',
    tags: ['neural network', 'matmul'] },
  { id: 'line_fit', title: 'learning a line',
    about: 'Fits slope and offset to points by gradient descent.',
    look: 'Registers over time: slope and offset, turn by turn, come near 3 and -2.',
    tags: ['training', 'gradient', 'loop'] },
  { id: 'softmax', title: 'softmax',
    about: 'Softmax from its parts, also of numbers whose powers no float holds.',
    look: 'The row of thousands: without the step that takes the maximum away it would be NaN.',
    tags: ['operators', 'numbers'] },
  { id: 'life', title: 'the game of life',
    about: 'One convolution counts the neighbours of all cells; a glider moves over the field.',
    look: 'Pick cells in Registers, then hold n or p: the glider flies forward, and back.',
    tags: ['image', 'convolution', 'time'] },
  { id: 'mandelbrot', title: 'the Mandelbrot set',
    about: 'All points of a plane are iterated at once by operators on whole tensors.',
    look: 'The result as a heatmap in Tensor, and how it grows while you step.',
    tags: ['image', 'tensors', 'loop'] },
];

const kLanguage: readonly Facts[] = [
  { id: 'hello_add', title: 'hello: add two tensors',
    about: 'The smallest program: two tensors, one sum.',
    look: 'Stages: both are constants, so the compiler adds them, and only ret is left to run.',
    tags: ['basics', 'tensors'] },
  { id: 'collatz', title: 'a loop with a branch',
    about: 'How many steps until a number has become 1?',
    look: 'The arrows beside the bytecode, and how often each instruction ran.',
    tags: ['basics', 'control flow', 'loop'] },
  { id: 'fibonacci', title: 'recursion',
    about: 'Every call has a frame of its own, with its own registers.',
    look: 'Frames, and the depth in the time line: mountains of calls.',
    tags: ['basics', 'control flow', 'frames'] },
  { id: 'closures', title: 'closures',
    about: 'Functions that keep the values of names around them.',
    look: 'A register that holds a closure, and where its kept value arrives.',
    tags: ['functions'] },
  { id: 'collections', title: 'lists, maps and texts',
    about: 'Counts the words of a sentence in a map.',
    look: 'Heap: which lists and maps live at each step, and who holds them.',
    tags: ['text', 'maps', 'memory'] },
  { id: 'tree', title: 'a data type, and match',
    about: 'A search tree is grown by inserting, and read in order.',
    look: 'get_tag and get_field in the bytecode: what match becomes.',
    tags: ['data types', 'recursion'] },
  { id: 'dynamic_shape', title: 'a shape with an n',
    about: 'One function serves any number of rows.',
    look: 'Shape heap: the n of each call, and the rules with its number put in.',
    tags: ['shapes'] },
  { id: 'kernel', title: 'a kernel of one’s own',
    about: 'An operator that the compiler does not have, written as loops in the program.',
    look: 'Stages: from the kernel’s formula to the call in the bytecode.',
    tags: ['kernels', 'performance'] },
  { id: 'newton', title: 'Newton’s method',
    about: 'The square root of two in six turns.',
    look: 'History of the float in Registers over time: right digits double each turn.',
    tags: ['numbers', 'loop'] },
  { id: 'memory_reuse', title: 'memory that is used again',
    about: 'Eight layers need memory for two: storage is taken again once nobody reads it.',
    look: 'The memory track of the time line, and Heap, all of the run.',
    tags: ['memory', 'performance'] },
];

const kFailing: readonly Facts[] = [
  { id: 'failing_shape', title: 'a shape that does not fit',
    about: 'Four columns meet three rows, which only the run can know.',
    look: 'Problems says axis, extents and place; Shape heap has the rule that failed.',
    tags: ['errors', 'shapes'] },
  { id: 'nan_hunt', title: 'where does the NaN come from?',
    about: 'Somewhere a number that is none appears, and spreads.',
    look: 'The mark in the time line; or set the breakpoint “nan” and run.',
    tags: ['errors', 'numbers', 'breakpoints'] },
  { id: 'infinite_loop', title: 'a loop without an end',
    about: 'It never ends, and the page stays with you.',
    look: 'Press Stop (Esc): what ran until then stays, and can be walked back.',
    tags: ['errors', 'control flow'] },
  { id: 'out_of_memory', title: 'out of memory',
    about: 'Doubles a tensor until no memory is left.',
    look: 'The error’s place, and the depth of frames that led there.',
    tags: ['errors', 'memory'] },
  { id: 'history', title: 'a leak: memory that nobody reads',
    about: 'Keeps all fifty tensors of a loop in a list, and reads the last one.',
    look: 'Run, then Heap near the end: fifty tensors, held by one list, of which one is read.',
    tags: ['memory', 'leak', 'loop'] },
];

const kAssembly: readonly Facts[] = [
  { id: 'sum', title: 'assembly: a sum in a loop',
    about: 'Registers, a label and a jump: what all programs become.',
    look: 'The words of each instruction: press Bytes in the bytecode.',
    tags: ['basics', 'control flow', 'loop'] },
  { id: 'power', title: 'assembly: recursion',
    about: '3 to the 10 by squaring: a function that calls itself.',
    look: 'Frames: four calls deep, the same registers with other values in each.',
    tags: ['recursion', 'frames'] },
  { id: 'tensor_call', title: 'assembly: calls of operators',
    about: 'Operators are called by name; a constant is an operand like a register.',
    look: 'Registers over time: where kill ends the first bar.',
    tags: ['tensors', 'memory'] },
  { id: 'ten_thousand', title: 'assembly: ten thousand instructions', isGenerated: true,
    about: 'A hundred functions of a hundred instructions, each of which calls the next.',
    look: 'Run, then drag the time line: a staircase of a hundred frames, any step of it at once.',
    tags: ['performance', 'frames'] },
];

const kFounding: readonly Facts[] = [
  { id: 'move_add_mul', title: 'Relax: (x + 10) * c',
    about: 'The first program of the Relax document: an argument, an immediate, a constant.',
    look: 'The three kinds of operands, in the bytecode and its bytes.',
    tags: ['assembly', 'basics'] },
  { id: 'shape_heap', title: 'Relax: a shape heap',
    about: 'Extents are stored in a heap of ints, computed with, and made a shape again.',
    look: 'Shape heap: slots 0 and 1 are read, 2 and 3 written.',
    tags: ['assembly', 'shapes'] },
  { id: 'branches', title: 'registers: if and phi',
    about: 'The register document’s if: phi takes the branch that was taken.',
    look: 'The two calls of @absolute: in each another register stays empty.',
    tags: ['assembly', 'control flow'] },
  { id: 'closure', title: 'registers: a closure',
    about: 'The register document’s closures: a function, and a value that it keeps.',
    look: 'Step into the call: the kept value arrives behind the arguments.',
    tags: ['assembly', 'functions'] },
  { id: 'datatype', title: 'Relay: a data type',
    about: 'The Relay document’s tagged tuples: a list is made and its items counted.',
    look: 'The tail call: the frame is replaced, the depth stays.',
    tags: ['assembly', 'data types', 'recursion'] },
  { id: 'storage', title: 'Relay: storages and tensors',
    about: 'The Relay document’s memory: two tensors within one storage, and kill.',
    look: 'Layout in Tensor: which registers share the bytes; Heap: when they go.',
    tags: ['assembly', 'memory'] },
];

const kLoops: readonly Facts[] = [
  { id: 'vector_add', title: 'vector add: 18 float32', n: 18, vscale: 4,
    about: 'The sum of two vectors, whatever the length of the machine’s vectors is.',
    look: 'Turn vscale to 8: the clean-up loop does everything, the mask needs one iteration.',
    tags: ['basics', 'predication'] },
  { id: 'daxpy', title: 'daxpy: two float64 for each 128 bits', n: 18, vscale: 2,
    about: 'A scaled vector is added to another, in doubles.',
    look: 'Half the lanes of float32 at the same vscale.', tags: ['types'] },
  { id: 'relu', title: 'relu: long, and nothing left over', n: 1024, vscale: 2,
    about: 'What is below zero becomes zero; the size is a multiple of every vector.',
    look: 'All lanes are used: with nothing left over, the three strategies differ least.',
    tags: ['neural network'] },
  { id: 'dot', title: 'dot product: a reduction', n: 100, vscale: 2,
    about: 'Every lane has a partial sum; these are added up at the end.',
    look: 'The stages: where the lanes’ sums become one.', tags: ['reduction'] },
  { id: 'matrix_vector', title: 'matrix times vector', n: 30, vscale: 2,
    about: 'A reduction for each of four rows, each with a rest.',
    look: 'How often the rest is paid for, by strategy.', tags: ['reduction', 'matmul'] },
  { id: 'add_bytes', title: 'bytes: 16 lanes for each 128 bits', n: 60, vscale: 1,
    about: 'The smallest elements fill the most lanes.',
    look: 'The sweep: 60 bytes are one iteration from vscale 4 on.', tags: ['types'] },
  { id: 'half', title: 'float16: eight lanes for each 128 bits', n: 40, vscale: 2,
    about: 'Half the bytes of float32, twice the lanes.',
    look: 'Cache lines: how few are touched.', tags: ['types', 'neural network'] },
  { id: 'strided', title: 'every third element: a gather', n: 40, vscale: 2,
    about: 'Elements that lie apart are gathered into a vector.',
    look: 'Cache lines: three times as many as elements that lie together.',
    tags: ['memory', 'gather'] },
  { id: 'stencil', title: 'three neighbours: a stencil', n: 30, vscale: 2,
    about: 'Each result needs its neighbours: three loads that overlap.',
    look: 'Cache lines: the three streams touch the same ones.', tags: ['memory', 'signal'] },
  { id: 'rows', title: 'three rows: a rest for each', n: 11, vscale: 2,
    about: 'A loop around the vectors.',
    look: 'Three times the rest: short rows waste the most lanes.', tags: ['memory'] },
  { id: 'positive', title: 'a condition: data decide', n: 20, vscale: 2,
    about: 'Which lanes store depends on the data.',
    look: 'Two masks at once: that of the loop and that of the condition.',
    tags: ['predication', 'control flow'] },
  { id: 'unrolled', title: 'saxpy, two vectors at once', n: 77, vscale: 2,
    about: 'A processor need not wait for one vector before it begins the next.',
    look: 'Counters: less control, a longer rest.', tags: ['performance'] },
];

const kFoundingLoops: readonly Facts[] = [
  { id: 'seventeen', title: 'the vector document’s 17 elements', n: 17, vscale: 2,
    about: 'The loop whose step is VL and whose mask is made by whilelt.',
    look: 'Stages: ramp(i, 1, VL), then LLVM IR with llvm.get.active.lane.mask.',
    tags: ['predication', 'basics'] },
];

const made = (
  kind: GalleryEntry['kind'], group: GalleryGroup, facts: readonly Facts[],
): GalleryEntry[] => facts.map((each) => ({ ...each, kind, group }));

const kDigits: Facts = {
  id: 'digits', title: 'the digit classifier',
  about: 'A convolutional network that reads what you draw.',
  look: 'Draw, then step: each convolution’s images are heatmaps in Tensor.',
  tags: ['image', 'neural network', 'convolution'],
};

export const kGallery: readonly GalleryEntry[] = [
  ...made('model', 'models', [kDigits]),
  ...made('language', 'models', kModels),
  ...made('language', 'language', kLanguage),
  ...made('language', 'failing', kFailing),
  ...made('assembly', 'assembly', kAssembly),
  ...made('loops', 'loops', kLoops),
  ...made('assembly', 'founding', kFounding),
  ...made('loops', 'founding', kFoundingLoops),
];

/** Entries that have all the words somewhere, in the table's order. */
export function findInGallery(query: string): GalleryEntry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return kGallery.filter((entry) => {
    const { id, title, about, look, tags, group, kind } = entry;
    const text = [id, title, about, look, ...tags, kGalleryGroups[group], kind]
      .join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export function galleryEntry(id: string): GalleryEntry | undefined {
  return kGallery.find((entry) => entry.id === id);
}
