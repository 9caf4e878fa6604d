import type { KubeObject } from '@slipway/kube';

/**
 * A rule about an object of ours, in two languages: real API servers evaluate
 * the CEL text in the CRD; the feature server checks the function, because an API
 * server may not know CEL. A test holds the two equal.
 */
export interface ObjectRule {
  /** Where in the schema the rule stands; `self` is the value there. */
  readonly at: 'object' | 'spec' | 'spec.gate';
  readonly cel: string;
  readonly message: string;
  /** `before` is undefined on create; a rule that names `oldSelf` holds then. */
  readonly holds: (object: KubeObject, before?: KubeObject) => boolean;
}

export const nameIsGate: ObjectRule = {
  at: 'object',
  cel: 'self.metadata.name == self.spec.gate.lowerAscii()',
  message: 'metadata.name must be spec.gate in lower case',
  holds: ({ metadata, spec }) => metadata.name === lowerAscii(String(spec.gate)),
};

export const gateIsImmutable: ObjectRule = {
  at: 'spec.gate',
  cel: 'self == oldSelf',
  message: 'spec.gate cannot be changed',
  holds: ({ spec }, before) => before === undefined || spec.gate === before.spec.gate,
};

export const vectorIsImmutable: ObjectRule = {
  at: 'spec',
  cel: 'self == oldSelf',
  message: 'a vector is named after its content and cannot be changed',
  holds: ({ spec }, before) => before === undefined || JSON.stringify(spec) === JSON.stringify(before.spec),
};

/** What a waiver may be about. */
const waived = ['process', 'node', 'task', 'object'];

export const waiverNamesOneThing: ObjectRule = {
  at: 'spec',
  cel: `!has(self.waivers) || self.waivers.all(w, [${waived.map((what) => `has(w.${what})`).join(', ')}].exists_one(x, x))`,
  message: `a waiver names exactly one of ${waived.join(', ')}`,
  holds: ({ spec }) =>
    ((spec.waivers ?? []) as Record<string, unknown>[]).every(
      (waiver) => waived.filter((what) => waiver[what] !== undefined).length === 1,
    ),
};

/** The rules of each kind. */
export const rules: Readonly<Record<string, readonly ObjectRule[]>> = {
  Feature: [nameIsGate, gateIsImmutable, waiverNamesOneThing],
  FeatureDefinition: [nameIsGate, gateIsImmutable],
  FeatureVector: [vectorIsImmutable],
  FeatureUse: [],
};

function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
