import type { Outcome } from '../slipway.js';

/** One of two clusters that are asked for the same. */
export interface Side {
  /** As the administrator. */
  kubectl(words: readonly string[], stdin?: object): Promise<Outcome>;
}

/** What is done to a cluster: words of kubectl, and the object that it is given. */
export interface Act {
  readonly words: readonly string[];
  readonly stdin?: object;
}

/** Creates an object of the namespace. */
export function create(apiVersion: string, kind: string, name: string, spec: object): Act {
  return { words: ['create', '-f', '-'], stdin: { apiVersion, kind, metadata: { name }, spec } };
}

/** A command without spaces in its words. */
export function kubectl(text: string): Act {
  return { words: text.split(' ') };
}

/** Creates at once what these acts create one by one. */
export function together(acts: readonly Act[]): Act {
  return {
    words: ['create', '-f', '-'],
    stdin: { apiVersion: 'v1', kind: 'List', items: acts.map(({ stdin }) => stdin) },
  };
}
