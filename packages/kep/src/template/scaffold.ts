import { comparablePrint, KnownPrints } from '../document/fingerprint.js';
import { knownScaffold } from './known-scaffold.js';
import type { Template } from './template.js';

/** The visible lines of a template and of those that proposals were written with before: repeating them answers nothing. */
export class Scaffold {
  readonly #prints: KnownPrints;

  constructor({ document }: Template) {
    const prints = new Set(knownScaffold.keys());
    for (const { own } of document.sections) {
      for (let line = own.first; line <= own.last; line++) {
        const print = comparablePrint(document.text.slice(document.lines.start(line), document.lines.end(line)));
        if (print !== '') prints.add(print);
      }
    }
    this.#prints = new KnownPrints(prints);
  }

  /** Whether a line of a proposal is one of these, or says nothing. */
  has(line: string): boolean {
    return this.#prints.has(line);
  }
}

const scaffolds = new WeakMap<Template, Scaffold>();

/** The scaffold of a template, read once. */
export function scaffoldOf(template: Template): Scaffold {
  const scaffold = scaffolds.get(template) ?? new Scaffold(template);
  scaffolds.set(template, scaffold);
  return scaffold;
}
