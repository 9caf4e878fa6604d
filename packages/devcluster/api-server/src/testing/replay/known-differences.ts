/** Steps that are answered otherwise than the real server did, and why. */
export interface KnownDifference {
  readonly why: string;
  readonly steps: readonly string[];
  /** What differs, where that is less than the whole answer: nothing else may. */
  readonly only?: RegExp;
}

/** Where we answer otherwise than the real server did. A recording that differs and is not here fails the test. */
export const knownDifferences: readonly KnownDifference[] = [
  {
    why: 'the real server broke the connection over a protobuf body of a custom resource; we say 415',
    steps: ['negotiation.content-types#06', 'negotiation.protobuf-bodies#01'],
  },
  {
    why: 'a text with ages in it, as old as the objects were when it was recorded',
    steps: ['negotiation.table-yaml#04'],
  },
  {
    why: 'counts what the recorded server was asked before this scenario, and objects of others',
    steps: ['endpoints.metrics-requests#01'],
    only: /^text: /,
  },
  {
    why: 'descriptions are in our own words, so shared parameters have no names made of them and stand where they are used',
    steps: ['openapi.v2#01'],
    only: /description: expected|parameters/,
  },
  {
    why: 'descriptions are in our own words',
    steps: ['openapi.document-extras#03'],
    only: /description: expected/,
  },
  {
    why: 'descriptions are in our own words, and lists in shards (shardSelector, alpha in 1.36) are not known',
    steps: ['openapi.document-v1#01', 'openapi.document-v1beta1#01'],
    only: /description: expected|parameters: expected 1[12] elements|[sS]hardInfo/,
  },
  {
    why: 'other scenarios of the recording had left objects behind',
    steps: ['names.url-names#07', 'pagination.bad-continue#19'],
    only: /^body\.(items|metadata\.remainingItemCount)/,
  },
  {
    why: 'the watch cache of the recorded server was not ready when the definition was; here it is always',
    steps: ['crd.create-and-establish#04'],
  },
  {
    why: 'the recorded server settled names and served in two writes, and deleted in four, of which the first attempt failed because its watch cache was not ready; here each is one',
    steps: ['crd.watch-conditions#01'],
    only: /^frames: expected 8 elements, got 4$/,
  },
  {
    why: 'the definition before was still going when this one was deleted; here it was gone, and had given its name free',
    steps: ['crd.names-conflict#11'],
    only: /status\.conditions\[|acceptedNames|f:singular/,
  },
  {
    why: 'the real server broke the connection over the last finalizer of a definition that goes, and kept the object; here both go',
    steps: ['07', '08', '09'].map((step) => `crd.instance-finalizer-blocks#${step}`),
  },
  {
    why: 'of rules that cost too much, the real server tells some, in no order',
    steps: ['celcompile.cost-3#02'],
    only: /^body\.(message|details\.causes)/,
  },
];

/** Commands that print something else here, and why. */
export const kubectlDifferences: readonly KnownDifference[] = [
  {
    why: 'the recording is of kubectl 1.36; others say this otherwise',
    steps: ['discovery#01', 'get#30', 'create#11', 'change#22'].map((step) => `kubectl-1.36.${step}`),
  },
  {
    why: 'descriptions are in our own words',
    steps: ['01', '08', '10'].map((step) => `kubectl-1.36.explain#${step}`),
  },
  { why: 'the object was still going when the recorded command came', steps: ['kubectl-1.36.wait#10'] },
];
