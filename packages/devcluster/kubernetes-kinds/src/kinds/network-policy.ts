import { invalidBecause, oneOf } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, forbidden, invalid, notSupported, required } from '@slipway/api-machinery/errors/field-error';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import { ageColumn, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import { type KubeObject, type LabelSelector, labelSelectorToString } from '@slipway/kube';
import { containsSubnet } from '@slipway/kube-objects/rules/cidr';
import {
  type AddressField,
  addressWarnings,
  cidrRule,
  parseLegacyCidr,
  rangeList,
} from '@slipway/kube-objects/rules/legacy-addresses';
import { portNameProblems, portProblems } from './port-names.js';
import { validateLabelSelector } from './selector-validation.js';
import { strictAddresses } from './strict-addresses.js';

interface PortFields {
  protocol?: string | null;
  port?: number | string;
  endPort?: number;
}

interface PeerFields {
  podSelector?: LabelSelector;
  namespaceSelector?: LabelSelector;
  ipBlock?: { cidr?: string; except?: string[] | null };
}

interface RuleFields {
  ports?: PortFields[] | null;
  from?: PeerFields[] | null;
  to?: PeerFields[] | null;
}

interface NetworkPolicySpecFields {
  podSelector?: LabelSelector;
  ingress?: RuleFields[] | null;
  egress?: RuleFields[] | null;
  policyTypes?: string[] | null;
}

/** Kept for those who apply it: simulated pods send nothing that it could stop. */
export const networkPolicies = defineResource({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
  shortNames: ['netpol'],
  namespaced: true,
  message: 'networking.v1.NetworkPolicy',
  nameRules: 'create',
  generation: ['spec'],
  defaults(policy) {
    policy.spec ??= {};
    const spec: NetworkPolicySpecFields = policy.spec;
    const rules = [...(spec.ingress ?? []), ...(spec.egress ?? [])];
    for (const port of rules.flatMap(({ ports }) => ports ?? [])) port.protocol ??= 'TCP';
    if (!spec.policyTypes?.length) spec.policyTypes = ['Ingress', ...(spec.egress?.length ? ['Egress'] : [])];
  },
  validate: ({ spec }) => validateSpec(spec),
  gatedRules: strictAddresses(rangesOf),
  warnings: (policy, old) => (old && equalJson(policy.spec, old.spec) ? [] : addressWarnings(rangesOf(policy))),
  columns: [
    textColumn(
      'Pod-Selector',
      'Which pods it is about.',
      ({ spec }) => labelSelectorToString(spec?.podSelector ?? {}) || '<none>',
    ),
    ageColumn,
  ],
});

const types = ['Ingress', 'Egress'];

function validateSpec({ podSelector = {}, ingress, egress, policyTypes }: NetworkPolicySpecFields): FieldError[] {
  return [
    ...validateLabelSelector(podSelector, 'spec.podSelector'),
    ...(ingress ?? []).flatMap((rule, index) => validateRule(rule, 'from', `spec.ingress[${index}]`)),
    ...(egress ?? []).flatMap((rule, index) => validateRule(rule, 'to', `spec.egress[${index}]`)),
    ...((policyTypes ?? []).length > 2
      ? [invalid('spec.policyTypes', policyTypes, 'may not specify more than two policyTypes')]
      : (policyTypes ?? []).flatMap((type, index) => oneOf(`spec.policyTypes[${index}]`, type, types))),
  ];
}

function validateRule(rule: RuleFields, direction: 'from' | 'to', field: string): FieldError[] {
  return [
    ...(rule.ports ?? []).flatMap((port, index) => validatePort(port, `${field}.ports[${index}]`)),
    ...(rule[direction] ?? []).flatMap((peer, index) => validatePeer(peer, `${field}.${direction}[${index}]`)),
  ];
}

const protocols = ['TCP', 'UDP', 'SCTP'];

function validatePort({ protocol, port, endPort }: PortFields, field: string): FieldError[] {
  const wrongEnd = (value: number | undefined, why: string) => [invalid(`${field}.endPort`, value, why)];
  const errors =
    protocol && !protocols.includes(protocol) ? [notSupported(`${field}.protocol`, protocol, protocols)] : [];
  if (typeof port === 'number') {
    errors.push(...invalidBecause(`${field}.port`, port, portProblems(port)));
    if (endPort === undefined) return errors;
    if (endPort < port) errors.push(...wrongEnd(endPort, 'must be greater than or equal to `port`'));
    return [...errors, ...invalidBecause(`${field}.endPort`, endPort, portProblems(endPort))];
  }
  const what = port === undefined ? 'not specified' : 'non-numeric';
  if (endPort !== undefined) errors.push(...wrongEnd(endPort, `may not be specified when \`port\` is ${what}`));
  return port === undefined ? errors : [...errors, ...invalidBecause(`${field}.port`, port, portNameProblems(port))];
}

function validatePeer({ podSelector, namespaceSelector, ipBlock }: PeerFields, field: string): FieldError[] {
  const selectors = Object.entries({ podSelector, namespaceSelector });
  const errors = [
    ...selectors.flatMap(([name, selector]) => (selector ? validateLabelSelector(selector, `${field}.${name}`) : [])),
    ...(ipBlock ? validateBlock(ipBlock, `${field}.ipBlock`) : []),
  ];
  if (!podSelector && !namespaceSelector && !ipBlock) errors.push(required(field, 'must specify a peer'));
  if (ipBlock && (podSelector || namespaceSelector)) {
    errors.push(forbidden(field, 'may not specify both ipBlock and another peer'));
  }
  return errors;
}

function validateBlock({ cidr = '', except }: NonNullable<PeerFields['ipBlock']>, field: string): FieldError[] {
  if (cidr === '') return [required(`${field}.cidr`)];
  const whole = parseLegacyCidr(cidr);
  if (!whole) return [invalid(`${field}.cidr`, cidr, cidrRule)];
  return (except ?? []).flatMap((text, index) => {
    const part = parseLegacyCidr(text);
    const at = `${field}.except[${index}]`;
    if (!part) return [invalid(at, text, cidrRule)];
    const isInside = part.cidr.prefix > whole.cidr.prefix && containsSubnet(whole.cidr, part.cidr);
    return isInside ? [] : [invalid(at, text, 'must be a strict subset of `cidr`')];
  });
}

function rangesOf({ spec }: KubeObject): AddressField[] {
  const { ingress, egress }: NetworkPolicySpecFields = spec ?? {};
  const blocks = (rules: readonly RuleFields[], direction: 'from' | 'to', field: string) =>
    rules.flatMap((rule, at) =>
      (rule[direction] ?? []).flatMap(({ ipBlock }, index) => {
        const block = `${field}[${at}].${direction}[${index}].ipBlock`;
        if (!ipBlock) return [];
        const whole: AddressField = { field: `${block}.cidr`, value: ipBlock.cidr ?? '', holds: 'range' };
        return [whole, ...rangeList(`${block}.except`, ipBlock.except)];
      }),
    );
  return [...blocks(ingress ?? [], 'from', 'spec.ingress'), ...blocks(egress ?? [], 'to', 'spec.egress')];
}
