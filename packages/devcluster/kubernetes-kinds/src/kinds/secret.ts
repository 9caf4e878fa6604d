import { type FieldError, invalid, required, tooLong } from '@slipway/api-machinery/errors/field-error';
import { setOwn } from '@slipway/api-machinery/json/json-value';
import { ageColumn, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import type { KubeObject } from '@slipway/kube';
import { bytesOf, maxDataBytes, validateFrozen, validateKeys } from './config-data.js';

export const secrets = defineResource({
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
  message: 'core.v1.Secret',
  nameRules: 'last',
  defaults(secret) {
    secret.type ||= 'Opaque';
    takeInTexts(secret);
  },
  *validating(secret) {
    const ofKeys = yield* validateKeys(secret.data ?? {}, 'data');
    const bytes = yield* bytesOf(secret.data ?? {}, 'base64');
    return [...ofKeys, ...(bytes > maxDataBytes ? [tooLong('data', maxDataBytes)] : []), ...validateType(secret)];
  },
  validateUpdate: (secret, old) => [
    ...(secret.type === old.type ? [] : [invalid('type', secret.type, 'field is immutable')]),
    ...validateFrozen(secret, old, ['data']),
  ],
  selectableFields: { type: ({ type }) => type ?? '' },
  columns: [
    textColumn('Type', 'What the secret is for.', ({ type }) => type ?? ''),
    textColumn('Data', 'How many entries there are.', ({ data }) => Object.keys(data ?? {}).length),
    ageColumn,
  ],
});

/** `stringData` is for writing only: its texts become data. */
function takeInTexts(secret: KubeObject): void {
  const texts: Readonly<Record<string, string>> | undefined = secret.stringData;
  delete secret.stringData;
  for (const key in texts) {
    secret.data ??= {};
    setOwn(secret.data, key, Buffer.from(texts[key] ?? '').toString('base64'));
  }
}

/** Keys that a secret of a type must have. */
const demanded: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
};

function validateType({ type, data = {}, metadata }: KubeObject): FieldError[] {
  const errors: FieldError[] = [];
  for (const key of demanded[type] ?? []) {
    if (!Object.hasOwn(data, key)) errors.push(required(`data[${key}]`));
    else if (key.startsWith('.docker') && !isJson(data[key])) {
      errors.push(invalid(`data[${key}]`, '<secret contents redacted>', 'invalid json'));
    }
  }
  if (type === 'kubernetes.io/basic-auth' && !('username' in data) && !('password' in data)) {
    errors.push(required('data[username]'), required('data[password]'));
  }
  const account = 'kubernetes.io/service-account.name';
  if (type === 'kubernetes.io/service-account-token' && !metadata.annotations?.[account]) {
    errors.push(required(`metadata.annotations[${account}]`));
  }
  return errors;
}

function isJson(encoded: string): boolean {
  try {
    JSON.parse(Buffer.from(encoded, 'base64').toString());
    return true;
  } catch {
    return false;
  }
}
