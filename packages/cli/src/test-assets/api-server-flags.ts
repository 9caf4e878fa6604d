import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FlagError, type FlagValues, readGoFlags } from './go-flags.js';
import { ignoredFlags, switches } from './ignored-flags.js';

/** What the flags of a kube-apiserver ask for, as far as it has an effect here. */
export interface ApiServerRequest {
  readonly bind: string;
  readonly port: number;
  /** Contents of PEM files; undefined where none was named. */
  readonly serving: { readonly certificate: string; readonly key: string } | undefined;
  readonly clientAuthority: string | undefined;
  readonly serviceAccountKey: string | undefined;
  readonly serviceAccountIssuer: string | undefined;
  /** Kubernetes version, such as `1.36`; undefined for the default. */
  readonly version: string | undefined;
  readonly featureGates: Readonly<Record<string, boolean>>;
  readonly authorizationModes: readonly AuthorizationMode[];
  /** Whether an admission plugin of Kubernetes runs. */
  readonly runs: (plugin: string) => boolean;
  readonly services: string;
  /** Given flags of Kubernetes that have no effect here. */
  readonly ignored: readonly string[];
}

const authorizationModes = ['Node', 'RBAC', 'AlwaysAllow'] as const;
type AuthorizationMode = (typeof authorizationModes)[number];

/** Flags whose effect a caller gets here. Privileged pods are always allowed, and the signing key checks its own tokens. */
export const apiServerFlags = [
  'allow-privileged',
  'authorization-mode',
  'bind-address',
  'cert-dir',
  'client-ca-file',
  'disable-admission-plugins',
  'emulated-version',
  'enable-admission-plugins',
  'etcd-servers',
  'feature-gates',
  'secure-port',
  'service-account-issuer',
  'service-account-key-file',
  'service-account-signing-key-file',
  'service-cluster-ip-range',
  'tls-cert-file',
  'tls-private-key-file',
] as const;

/** Plugins that Kubernetes has, and runs only when they are asked for. */
const offByDefault = ['NodeRestriction'];

/**
 * Reads the flags of a kube-apiserver, and the files that they name.
 * @throws FlagError
 */
export function readApiServerFlags(words: readonly string[]): ApiServerRequest {
  const known = new Set<string>([...apiServerFlags, ...ignoredFlags]);
  const values = readGoFlags(words, (name) =>
    known.has(name) ? (switches.has(name) ? 'switch' : 'value') : undefined,
  );
  const [disabled, enabled] = ['disable-admission-plugins', 'enable-admission-plugins'].map((flag) =>
    list(values, flag),
  );
  return {
    bind: values.get('bind-address') ?? '0.0.0.0',
    port: portOf(values),
    serving: servingOf(values),
    clientAuthority: read('client-ca-file', values.get('client-ca-file')),
    serviceAccountKey: read('service-account-signing-key-file', values.get('service-account-signing-key-file')),
    serviceAccountIssuer: values.get('service-account-issuer'),
    version: values.get('emulated-version')?.replace(/^kube=/, ''),
    featureGates: gatesOf(values),
    authorizationModes: modesOf(values),
    runs: (plugin) => enabled?.includes(plugin) || !(disabled?.includes(plugin) || offByDefault.includes(plugin)),
    services: values.get('service-cluster-ip-range')?.split(',')[0] ?? '10.0.0.0/24',
    ignored: [...values.keys()].filter((name) => ignoredFlags.has(name)),
  };
}

/** A folder of certificates may still be empty; a file that was named must be there. */
function servingOf(values: FlagValues): ApiServerRequest['serving'] {
  const folder = values.get('cert-dir');
  const inFolder = folder !== undefined && existsSync(join(folder, 'apiserver.crt')) ? folder : undefined;
  const certificate = read(
    'tls-cert-file',
    values.get('tls-cert-file') ?? (inFolder && join(inFolder, 'apiserver.crt')),
  );
  const key = read(
    'tls-private-key-file',
    values.get('tls-private-key-file') ?? (inFolder && join(inFolder, 'apiserver.key')),
  );
  return certificate === undefined || key === undefined ? undefined : { certificate, key };
}

function portOf(values: FlagValues): number {
  const text = values.get('secure-port') ?? '6443';
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new FlagError(`invalid --secure-port ${JSON.stringify(text)}: must be 0-65535`);
}

function gatesOf(values: FlagValues): Readonly<Record<string, boolean>> {
  const pairs = list(values, 'feature-gates').map((pair) => {
    const [, gate = '', value] = /^(?:kube:)?([^=]+)=(true|false)$/i.exec(pair) ?? [];
    if (value === undefined)
      throw new FlagError(`invalid --feature-gates ${JSON.stringify(pair)}: must be GATE=true or GATE=false`);
    return [gate, value.toLowerCase() === 'true'] as const;
  });
  return Object.fromEntries(pairs);
}

function modesOf(values: FlagValues): readonly AuthorizationMode[] {
  const asked = list(values, 'authorization-mode');
  return (asked.length === 0 ? ['AlwaysAllow'] : asked).map((mode) => {
    const known = authorizationModes.find((one) => one === mode);
    if (known) return known;
    throw new FlagError(
      `invalid --authorization-mode ${JSON.stringify(mode)}: must be ${authorizationModes.join(', ')}`,
    );
  });
}

function list(values: FlagValues, flag: string): readonly string[] {
  return (values.get(flag) ?? '').split(',').filter((item) => item !== '');
}

function read(flag: string, path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new FlagError(`cannot read --${flag} ${path}: ${(error as Error).message}`);
  }
}
