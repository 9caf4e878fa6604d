import { compilePattern } from '@slipway/api-machinery/schema/pattern';
import type { Checked } from '../checker/check.js';
import { typeNames } from '../checker/named-types.js';
import type { Node } from '../parser/parse.js';
import { Failure, Meter } from '../values/failure.js';
import { programOf } from './evaluate.js';

const conversions = new Set('bool bytes double duration dyn int string timestamp type uint'.split(' '));
const searches = new Set(['matches', 'find', 'findAll']);

/**
 * Says why a program cannot be made of a checked expression: when it makes the program, Kubernetes converts what is
 * written down, `int('x')` for one, and reads regular expressions. Undefined when it can.
 */
export function constantProblem(node: Node, checked: Checked): string | undefined {
  const folding = new Folding(checked);
  folding.isConstant(node);
  return folding.problem;
}

class Folding {
  problem: string | undefined;
  readonly #checked: Checked;

  constructor(checked: Checked) {
    this.#checked = checked;
  }

  /** Whether a part has the same value every time. */
  isConstant(node: Node): boolean {
    switch (node.kind) {
      case 'literal':
        return true;
      case 'name':
        // Kubernetes looks for a type of that name.
        if (this.#checked.typeVariables.has(node)) this.problem ??= `reference to undefined type: ${node.name}`;
        return typeNames.has(node.name) && !this.#checked.names.has(node.name);
      case 'select':
      case 'has':
        this.isConstant(node.of);
        return false;
      case 'list':
        return this.#areConstant(node.items.map(({ value }) => value)) && !node.items.some(({ optional }) => optional);
      case 'map': {
        const { entries } = node;
        const areConstant = this.#areConstant(entries.flatMap(({ key, value }) => [key, value]));
        return areConstant && !entries.some(({ optional }) => optional);
      }
      case 'struct':
        this.#areConstant(node.entries.map(({ value }) => value));
        return false;
      case 'macro':
        this.#areConstant([node.target, ...node.args]);
        return false;
      case 'call': {
        const given = node.target ? [node.target, ...node.args] : node.args;
        const areConstant = this.#areConstant(given);
        if (searches.has(node.name)) this.problem ??= patternProblem(given[1]);
        if (!areConstant || node.target || node.args.length !== 1 || !conversions.has(node.name)) return false;
        const value = programOf(node, this.#checked, []).run([], new Meter(Number.POSITIVE_INFINITY));
        if (value instanceof Failure) this.problem ??= value.message;
        return true;
      }
    }
  }

  #areConstant(nodes: readonly Node[]): boolean {
    return nodes.map((each) => this.isConstant(each)).every((is) => is);
  }
}

function patternProblem(pattern: Node | undefined): string | undefined {
  if (pattern?.kind !== 'literal' || typeof pattern.value !== 'string') return undefined;
  const compiled = compilePattern(pattern.value);
  return typeof compiled === 'string' ? compiled : undefined;
}
