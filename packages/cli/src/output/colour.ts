export type Colour = 'red' | 'green' | 'yellow';

const codes: Readonly<Record<Colour, number>> = { red: 31, green: 32, yellow: 33 };

let known: string | undefined;

/** Stands before the number of a colour until a terminal gets it. Random, so that no string from outside can hold it. */
function mark(): string {
  // Without colours the module is not loaded, which takes as long as half of the start of Node.
  known ??= process.getBuiltinModule('node:crypto').randomBytes(16).toString('hex');
  return known;
}

/** Marks a string as coloured. Only `withColours` makes escape sequences of the marks, after all others were escaped. */
export function paint(text: string, colour: Colour): string {
  return `${mark()}${codes[colour]};${text}${mark()}39;`;
}

/** Replaces the marks of `paint` by escape sequences. */
export function withColours(text: string): string {
  return known === undefined ? text : text.replace(new RegExp(`${known}(\\d+);`, 'g'), '\u001b[$1m');
}

/** Words of states, the worst first: `Off (3 dangling)` is not as well as `Off`. */
const words: readonly (readonly [Colour, RegExp])[] = [
  ['red', /\b(blocked|blocker|error|degraded|failed|problem|no|doesnotfit|rejected|rolledback|timedout)\b/i],
  ['yellow', /\b(turning\w*|resizing|waiting|stalled|warning|note|unknown|at risk|dangling|partial|paused)\b/i],
  ['green', /\b(on|off|ok|atsize|yes|tracked|running|layer|succeeded)\b/i],
];

/** The colour of a state, by its worst word; undefined for words that are neither good nor bad. */
export function colourOf(state: string): Colour | undefined {
  return words.find(([, pattern]) => pattern.test(state))?.[0];
}
