import { invalidBecause } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, invalid, required } from '@slipway/api-machinery/errors/field-error';
import { dns1035Problems, subdomainProblems } from '@slipway/api-machinery/errors/names';
import { repeatsIn } from '@slipway/api-machinery/errors/repeats';

/** Where a webhook listens: an address, or a service of the cluster. */
export interface WebhookClient {
  readonly url?: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path?: string;
    readonly port?: number;
  };
  /** Certificates that its server is believed by, in PEM, in base64. Absent = those of the system. */
  readonly caBundle?: string;
}

/**
 * Validates where a webhook listens: an address, or a service of the cluster.
 * @param field path of the client configuration
 */
export function validateWebhookClient({ url, service }: WebhookClient, field: string): FieldError[] {
  if ((url === undefined) === (service === undefined)) {
    return [required(field, 'exactly one of url or service is required')];
  }
  return url === undefined
    ? validateService(service as NonNullable<typeof service>, `${field}.service`)
    : validateUrl(url, `${field}.url`);
}

const form = '; desired format: https://host[/path]';

function validateUrl(text: string, field: string): FieldError[] {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return [required(field, `url must be a valid URL: parse ${JSON.stringify(text)}: invalid URI for request${form}`)];
  }
  const scheme = url.protocol.slice(0, -1);
  const user = url.password === '' ? url.username : `${url.username}:${url.password}`;
  const fragment = url.hash.slice(1);
  const query = url.search.slice(1);
  return [
    ...(scheme === 'https' ? [] : [invalid(field, scheme, `'https' is the only allowed URL scheme${form}`)]),
    ...(url.host === '' ? [invalid(field, '', `host must be specified${form}`)] : []),
    ...(user === '' ? [] : [invalid(field, user, 'user information is not permitted in the URL')]),
    ...(fragment === '' ? [] : [invalid(field, fragment, 'fragments are not permitted in the URL')]),
    ...(query === '' ? [] : [invalid(field, query, 'query parameters are not permitted in the URL')]),
  ];
}

type Service = NonNullable<WebhookClient['service']>;

function validateService({ namespace, name, path = '', port = 443 }: Service, field: string): FieldError[] {
  const isPort = port >= 1 && port <= 65_535;
  return [
    // Kubernetes takes one for the other.
    ...(namespace ? [] : [required(`${field}.name`)]),
    ...(name ? [] : [required(`${field}.namespace`)]),
    ...(isPort ? [] : [invalid(`${field}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive')]),
    ...validatePath(path, `${field}.path`),
  ];
}

function validatePath(path: string, field: string): FieldError[] {
  if (path === '' || path === '/') return [];
  if (path === '//') return [invalid(field, path, 'segment[0] may not be empty')];
  const segments = path.slice(1).replace(/\/$/, '').split('/');
  return [
    ...(path.startsWith('/') ? [] : [invalid(field, path, "must start with a '/'")]),
    ...segments.flatMap((segment, index) =>
      segment === ''
        ? [invalid(field, path, `segment[${index}] may not be empty`)]
        : subdomainProblems(segment).map((problem) => invalid(field, path, `segment[${index}]: ${problem}`)),
    ),
  ];
}

/** Validates the versions of reviews that a webhook takes; `missing` is the text for none. */
export function validateReviewVersions(
  versions: readonly string[],
  known: readonly string[],
  field: string,
  missing: string,
): FieldError[] {
  if (versions.length === 0) return [required(field, missing)];
  const isTwice = repeatsIn(versions);
  const errors = versions.flatMap((version, index) =>
    isTwice(index)
      ? [invalid(`${field}[${index}]`, version, 'duplicate version')]
      : invalidBecause(`${field}[${index}]`, version, dns1035Problems(version)),
  );
  if (versions.some((version) => known.includes(version))) return errors;
  return [...errors, invalid(field, versions, `must include at least one of ${known.join(', ')}`)];
}
