const info = 'io.k8s.apimachinery.pkg.version.Info';

/** The facts of `/version` in the order of their Go struct. Those without a default need not be there. */
const always = [
  'major',
  'minor',
  'gitVersion',
  'gitCommit',
  'gitTreeState',
  'buildDate',
  'goVersion',
  'compiler',
  'platform',
];
const more = ['emulationMajor', 'emulationMinor', 'minCompatibilityMajor', 'minCompatibilityMinor'];

/** The OpenAPI v3 document of `/version`. */
export function versionDocument(version: string) {
  const properties = Object.fromEntries(
    [...always, ...more]
      .sort()
      .map((name) => [name, always.includes(name) ? { type: 'string', default: '' } : { type: 'string' }]),
  );
  const schema = { $ref: `#/components/schemas/${info}` };
  const get = {
    tags: ['version'],
    description: 'get the version information for this server',
    operationId: 'getCodeVersion',
    responses: { 200: { description: 'OK', content: { 'application/json': { schema } } } },
  };
  const description = 'Which version a server is, and which it behaves like.';
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version },
    // Servers before 1.36 answer with a slash at the end, too, and publish that.
    paths: { [Number(version.split('.')[1]) < 36 ? '/version/' : '/version']: { get } },
    components: { schemas: { [info]: { description, type: 'object', required: always, properties } } },
  };
}
