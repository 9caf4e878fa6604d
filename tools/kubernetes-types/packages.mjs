/** Packages of API types that are read: the short prefix of their messages, the protobuf package, and where their files are. */
export const packages = [
  ...['core.v1', 'apps.v1', 'batch.v1', 'autoscaling.v1', 'autoscaling.v2', 'policy.v1', 'scheduling.v1'].map(api),
  ...['scheduling.v1alpha3', 'coordination.v1', 'events.v1', 'rbac.v1', 'authentication.v1'].map(api),
  ...['authorization.v1', 'admissionregistration.v1', 'admissionregistration.v1beta1', 'storage.v1'].map(api),
  ...['node.v1', 'networking.v1', 'discovery.v1', 'storagemigration.v1', 'storagemigration.v1beta1'].map(api),
  ...['certificates.v1', 'resource.v1', 'flowcontrol.v1', 'admission.v1'].map(api),
  {
    ...{ prefix: 'apiextensions.v1', proto: 'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1' },
    ...{ module: 'apiextensions-apiserver', path: 'pkg/apis/apiextensions/v1' },
  },
  machinery('meta.v1', 'pkg/apis/meta/v1'),
  machinery('runtime', 'pkg/runtime'),
  machinery('resource', 'pkg/api/resource'),
  machinery('intstr', 'pkg/util/intstr'),
];

function api(prefix) {
  const path = prefix.replace('.', '/');
  return { prefix, proto: `k8s.io.api.${prefix}`, module: 'api', path };
}

function machinery(prefix, path) {
  return { prefix, proto: `k8s.io.apimachinery.${path.replaceAll('/', '.')}`, module: 'apimachinery', path };
}

/** The id of a message that a `generated.proto` names: one of its own package without the package. */
export function messageId(type, prefix) {
  if (!type.startsWith('.')) return /^[A-Z]/.test(type) ? `${prefix}.${type}` : type;
  const cut = type.lastIndexOf('.');
  const found = packages.find(({ proto }) => proto === type.slice(1, cut));
  return `${found?.prefix ?? type.slice(1, cut)}${type.slice(cut)}`;
}

/** The prefix of the package that an import path leads to; undefined for one that is not read. */
export function prefixOfImport(path) {
  return packages.find((one) => path === `k8s.io/${one.module}/${one.path}`)?.prefix;
}
