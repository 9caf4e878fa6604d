import { requiredOneOf } from '@slipway/api-machinery/errors/field-checks';
import { duplicate, type FieldError, forbidden, invalid, required } from '@slipway/api-machinery/errors/field-error';
import { repeatsIn } from '@slipway/api-machinery/errors/repeats';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import { minorOf } from '@slipway/api-machinery/schema/supported-versions';
import { pemBlocks } from '@slipway/kube-objects/rules/pem-blocks';
import { parseCertificate } from './parse-certificate.js';

/** What became of a request for a certificate. */
export interface RequestStatusFields {
  readonly conditions?: readonly ConditionFields[] | null;
  /** Base64 of PEM. */
  readonly certificate?: string;
}

export interface ConditionFields {
  type?: string;
  status?: string;
  lastUpdateTime?: string | null;
  lastTransitionTime?: string | null;
}

const decisions = ['Approved', 'Denied'];
const lasting = [...decisions, 'Failed'];
const statuses = ['False', 'True', 'Unknown'];

/** Validates an update of a request: it is approved or denied through `approval`, and gets its certificate through `status`, once. */
export function validateStatus(
  { conditions, certificate = '' }: RequestStatusFields,
  old: RequestStatusFields,
  subresource: string,
  version: string,
): FieldError[] {
  const [now, before] = [conditions ?? [], old.conditions ?? []];
  const isOther = certificate !== (old.certificate ?? '');
  return [
    ...validateConditions(now, version),
    ...(isOther ? validateCertificate(certificate) : []),
    ...keepsLasting(now, before),
    ...(subresource === 'approval' ? [] : keepsDecisions(now, before)),
    ...(isOther ? keepsCertificate(old.certificate ?? '', subresource) : []),
    ...(minorOf(version) >= sinceUnion ? validateUnion(now) : []),
  ];
}

function validateConditions(conditions: readonly ConditionFields[], version: string): FieldError[] {
  const types = conditions.map(({ type = '' }) => type);
  const isTwice = repeatsIn(types);
  const isUnion = minorOf(version) >= sinceUnion;
  return conditions.flatMap(({ type = '', status = '' }, index) => {
    const field = `status.conditions[${index}]`;
    const allowed = lasting.includes(type) ? ['True'] : statuses;
    const other = types.slice(0, index).find((one) => decisions.includes(one) && one !== type);
    const contradicts = !isUnion && decisions.includes(type) && other !== undefined;
    return [
      ...(type === '' ? [required(`${field}.type`)] : []),
      ...requiredOneOf(`${field}.status`, status, allowed),
      ...(contradicts ? [invalid(`${field}.type`, type, 'Approved and Denied conditions are mutually exclusive')] : []),
      ...(isTwice(index) ? [duplicate(`${field}.type`, type)] : []),
    ];
  });
}

/** Since then it is a rule of the schema that a request is not both, which is checked last. */
const sinceUnion = 37;

function validateUnion(conditions: readonly ConditionFields[]): FieldError[] {
  if (!decisions.every((type) => count(conditions, type) > 0)) return [];
  const both = decisions.map((type) => `conditions[{"type": "${type}"}]`);
  const detail = `must specify at most one of: ${both.map((one) => `\`${one}\``).join(', ')}`;
  return [invalid('status.conditions', `{${both.join(', ')}}`, detail)];
}

function validateCertificate(certificate: string): FieldError[] {
  if (certificate === '') return [];
  const refuse = (why: string) => [invalid('status.certificate', '<certificate data>', why)];
  const blocks = pemBlocks(Buffer.from(certificate, 'base64').toString());
  if (blocks.length === 0) return refuse('must contain at least one CERTIFICATE PEM block');
  for (const { type, hasHeaders, bytes } of blocks) {
    if (type !== 'CERTIFICATE') return refuse(`only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`);
    if (hasHeaders) return refuse('no PEM block headers are permitted');
    if (!parseCertificate(bytes)) return refuse('x509: malformed certificate');
  }
  return [];
}

function keepsLasting(now: readonly ConditionFields[], before: readonly ConditionFields[]): FieldError[] {
  return lasting.flatMap((type) => (count(now, type) < count(before, type) ? [refused('remove', type)] : []));
}

function keepsDecisions(now: readonly ConditionFields[], before: readonly ConditionFields[]): FieldError[] {
  return decisions.flatMap((type) => {
    const more = count(now, type) - count(before, type);
    if (more > 0) return [refused('add', type)];
    const isSame = equalJson(ofType(now, type), ofType(before, type));
    return more < 0 || isSame ? [] : [refused('modify', type)];
  });
}

function refused(what: string, type: string): FieldError {
  return forbidden('status.conditions', `updates may not ${what} a condition of type ${JSON.stringify(type)}`);
}

function ofType(conditions: readonly ConditionFields[], type: string): readonly ConditionFields[] {
  return conditions.filter((condition) => condition.type === type);
}

function count(conditions: readonly ConditionFields[], type: string): number {
  return ofType(conditions, type).length;
}

function keepsCertificate(old: string, subresource: string): FieldError[] {
  const at = 'status.certificate';
  if (subresource !== 'status') return [forbidden(at, 'updates may not set certificate content')];
  return old === '' ? [] : [forbidden(at, 'updates may not modify existing certificate content')];
}
