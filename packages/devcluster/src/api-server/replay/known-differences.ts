/** Where we answer otherwise than the real server did, and why. A recording that differs and is not here fails the test. */
export const knownDifferences: readonly { readonly why: string; readonly steps: readonly string[] }[] = [
  {
    why: 'answers are never protobuf; clients that ask for it take JSON',
    steps: [
      'discovery.legacy-protobuf#01',
      'negotiation.accepts#08',
      'subresources.scale-protobuf#02',
      'subresources.scale-protobuf#03',
    ],
  },
  {
    why: 'the real server broke the connection over a protobuf body of a custom resource; we say 415',
    steps: ['negotiation.content-types#06', 'negotiation.protobuf-bodies#01'],
  },
  {
    why: 'a text with ages in it, and a list of groups with those of the recorded server',
    steps: ['negotiation.table-yaml#04', 'discovery.legacy-root#02'],
  },
  {
    why: 'the recorded server was half of a server: its list of groups and paths is its own',
    steps: [
      'discovery.legacy-root#01',
      'endpoints.livez#04',
      'endpoints.readyz#04',
      'endpoints.root#01',
      'endpoints.root#03',
      'endpoints.root#04',
      'endpoints.root#06',
      'endpoints.root#07',
    ],
  },
  {
    why: 'the separator of this page is drawn at random, so that nobody parses it',
    steps: ['endpoints.statusz#06'],
  },
  {
    why: 'the flags that a server was started with are its own',
    steps: [1, 2, 3].map((step) => `endpoints.flagz#0${step}`),
  },
  {
    why: 'counts what the recorded server was asked before this scenario',
    steps: ['endpoints.metrics-requests#01'],
  },
  { why: 'OpenAPI v2 is not served', steps: ['openapi.v2#01'] },
  { why: 'only groups have OpenAPI documents', steps: ['openapi.document-extras#03'] },
  {
    why: 'an OpenAPI document that there is not is 404 here, and an empty 200 there',
    steps: ['openapi.document-extras#01', 'openapi.document-extras#02'],
  },
  {
    why: 'descriptions are in our own words',
    steps: ['openapi.document-v1#01', 'openapi.document-v1beta1#01', 'negotiation.table-of-crds#01'],
  },
  {
    why: 'the recorded store was older and had forgotten its first revisions',
    steps: ['list.rv-rules-5#07', 'watch.too-old#02', 'watch.too-old#03'],
  },
  {
    why: 'other scenarios of the recording had left objects behind',
    steps: ['names.url-names#07', 'pagination.bad-continue#19'],
  },
  {
    why: 'the text is that of a gRPC client, with the size of its message; there is none here',
    steps: ['errors.size-limits#04', 'errors.size-limits#05'],
  },
  {
    why: 'the text names a line of a Go source file',
    steps: ['subresources.scale-put-shapes#04', 'subresources.scale-put-shapes#07'],
  },
  {
    why: 'the recorded server was half of a server: the keys of its store have a prefix of their own',
    steps: ['subresources.scale-put-shapes#06'],
  },
  {
    why: 'warnings about a write that is refused anyway',
    steps: ['update.label-and-finalizer-updates#13', 'validation.wrong-shapes#06'],
  },
  {
    why: 'a definition serves and settles at once here, and only after a moment there',
    steps: ['crd.create-and-establish#04', 'crd.watch-conditions#01', 'crd.names-conflict#11'],
  },
  {
    why: 'the real server broke the connection over the last finalizer of a definition that goes',
    steps: ['07', '08', '09'].map((step) => `crd.instance-finalizer-blocks#${step}`),
  },
  {
    why: 'where a uuid or an address was, the recording has a placeholder',
    steps: ['validation.format-uuid#01', 'validation.format-uuid3#01', 'celvalues.value-10#02'],
  },
  {
    why: 'of rules that cost too much, the real server tells some, in no order',
    steps: ['celcompile.cost-3#02'],
  },
  {
    why: 'rules of definitions know a function that is meant for mutating policies',
    steps: ['celcompile.rules-19#03'],
  },
];

/** Commands that print something else here, and why. */
export const kubectlDifferences: typeof knownDifferences = [
  {
    why: 'the recording is of kubectl 1.36; others say this otherwise',
    steps: ['discovery#01', 'get#30', 'create#11', 'change#22'].map((step) => `kubectl-1.36.${step}`),
  },
  { why: 'other parts, other names of health checks', steps: ['kubectl-1.36.discovery#13'] },
  {
    why: 'descriptions are in our own words',
    steps: ['01', '07', '08', '10'].map((step) => `kubectl-1.36.explain#${step}`),
  },
  { why: 'the object was still going when the recorded command came', steps: ['kubectl-1.36.wait#10'] },
];
