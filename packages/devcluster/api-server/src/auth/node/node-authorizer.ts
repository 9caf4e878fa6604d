import type { Authorizer, Decision, PolicyRule, ResourceAccess } from '@slipway/api-machinery/identity/access';
import { nodeName } from '@slipway/kube-objects/rules/node-name';
import type { AdmissionReader } from '../../attributes/admission.js';
import { ruleAllows } from '../rbac/rule-allows.js';
import { podUses } from './pod-uses.js';

/**
 * Lets each kubelet at what concerns its node: its own node and lease, the pods
 * bound to it, and the secrets, config maps, claims and accounts those pods name.
 * Whatever else all nodes may do is listed in `rules`.
 */
export function nodeAuthorizer(store: AdmissionReader, rules: readonly PolicyRule[]): Authorizer {
  return {
    authorize(user, access): Decision {
      const node = nodeName(user);
      if (node === undefined) return noOpinion;
      if (node === '') return refuse(`unknown node for user ${JSON.stringify(user.name)}`);
      const special = access.kind === 'resource' ? subdivided[`${access.resource}.${access.group}`] : undefined;
      if (special && access.kind === 'resource') return special(store, node, access);
      return rules.some((rule) => ruleAllows(rule, access)) ? allow : noOpinion;
    },
    rulesFor(user) {
      if (nodeName(user) === undefined) return { rules: [], problems: [], incomplete: false };
      return { rules: [], problems: ['node authorizer does not support user rule resolution'], incomplete: true };
    },
  };
}

type Judge = (store: AdmissionReader, node: string, access: ResourceAccess) => Decision;

const subdivided: Readonly<Record<string, Judge | undefined>> = {
  'secrets.': readsWhatItsPodsUse,
  'configmaps.': readsWhatItsPodsUse,
  'persistentvolumeclaims.': getsWhatItsPodsUse,
  'persistentvolumes.': getsWhatItsPodsUse,
  'resourceclaims.resource.k8s.io': getsWhatItsPodsUse,
  'serviceaccounts.': readsAccountsAndCreatesTokens,
  'leases.coordination.k8s.io': keepsItsLease,
  'nodes.': caresForItself,
  'pods.': runsItsPods,
  'podcertificaterequests.certificates.k8s.io': requestsCertificates,
};

function readsWhatItsPodsUse(store: AdmissionReader, node: string, access: ResourceAccess): Decision {
  if (!reading.includes(access.verb)) return refuse('can only read resources of this type');
  if (access.subresource !== '') return refuse('cannot read subresource');
  if (access.namespace === '') return refuse('can only read namespaced object of this type');
  return ifRelated(store, node, access);
}

function getsWhatItsPodsUse(store: AdmissionReader, node: string, access: ResourceAccess): Decision {
  if (access.verb !== 'get') return refuse('can only get individual resources of this type');
  if (access.subresource !== '') return refuse('cannot get subresource');
  return ifRelated(store, node, access);
}

function readsAccountsAndCreatesTokens(store: AdmissionReader, node: string, access: ResourceAccess): Decision {
  if (access.verb === 'get' && access.subresource === '') return readsWhatItsPodsUse(store, node, access);
  if (access.verb !== 'create' || access.name === '') {
    return refuse('can only create tokens for individual service accounts');
  }
  if (access.subresource !== 'token') return refuse('can only create token subresource of serviceaccount');
  return ifRelated(store, node, access);
}

function keepsItsLease(_store: AdmissionReader, node: string, { verb, namespace, name }: ResourceAccess): Decision {
  if (!['get', 'create', 'update', 'patch', 'delete'].includes(verb)) {
    return refuse('can only get, create, update, patch, or delete a node lease');
  }
  if (namespace !== 'kube-node-lease')
    return refuse('can only access leases in the "kube-node-lease" system namespace');
  // Which lease a create makes is in its body; that is for admission to see.
  if (verb !== 'create' && name !== node) {
    return refuse('can only access node lease with the same name as the requesting node');
  }
  return allow;
}

function caresForItself(_store: AdmissionReader, node: string, { verb, subresource, name }: ResourceAccess): Decision {
  if (subresource === 'status') return ['update', 'patch'].includes(verb) ? allow : noOpinion;
  if (subresource !== '') return noOpinion;
  if (['create', 'update', 'patch'].includes(verb)) return allow;
  if (!reading.includes(verb)) return noOpinion;
  if (name === node) return allow;
  return refuse(
    name === ''
      ? `node '${node}' cannot read all nodes, only its own Node object`
      : `node '${node}' cannot read '${name}', only its own Node object`,
  );
}

function runsItsPods(store: AdmissionReader, node: string, access: ResourceAccess): Decision {
  const { verb, subresource, name } = access;
  if (subresource === 'status') return ['update', 'patch'].includes(verb) ? allow : noOpinion;
  if (subresource === 'eviction') return verb === 'create' ? allow : noOpinion;
  if (subresource !== '') return noOpinion;
  if (verb === 'create' || verb === 'delete') return allow;
  if (!reading.includes(verb)) return noOpinion;
  if (verb !== 'get' && selectsNode(access, node)) return allow;
  if (verb === 'get' || name !== '') return ifRelated(store, node, access);
  return refuse('can only list/watch pods with spec.nodeName field selector');
}

/** Admission sees what is requested, and for which pod. */
function requestsCertificates(store: AdmissionReader, node: string, access: ResourceAccess): Decision {
  const { verb, subresource } = access;
  if (subresource !== '') return refuse('nodes may not access the status subresource of PodCertificateRequests');
  if (verb === 'create') return allow;
  if (verb === 'get') return ifRelated(store, node, access);
  if (verb !== 'list' && verb !== 'watch') return refuse(`nodes may not ${verb} podcertificaterequests`);
  return selectsNode(access, node)
    ? allow
    : refuse('can only list/watch podcertificaterequests with nodeName field selector');
}

function selectsNode({ fieldSelector = '' }: ResourceAccess, node: string): boolean {
  return fieldSelector.split(',').some((term) => /^spec\.nodeName==?/.test(term) && term.endsWith(`=${node}`));
}

function ifRelated(store: AdmissionReader, node: string, access: ResourceAccess): Decision {
  if (access.name === '') return refuse('No Object name found');
  if (isRelated(store, node, access)) return allow;
  return refuse(`no relationship found between node '${node}' and this object`);
}

function isRelated(store: AdmissionReader, node: string, { resource, namespace, name }: ResourceAccess): boolean {
  const bound = boundToNode[resource];
  if (bound) return store.latest(bound, namespace, name)?.object.spec?.nodeName === node;
  const pods = store.list('pods', namespace === '' ? {} : { namespace }).entries;
  return pods.some(({ object: pod }) => {
    if (pod.spec?.nodeName !== node) return false;
    if (resource !== 'persistentvolumes') return podUses(pod, resource, name);
    const volume = store.latest('persistentvolumes', '', name)?.object;
    const claim = volume?.spec?.claimRef;
    return claim?.namespace === pod.metadata.namespace && podUses(pod, 'persistentvolumeclaims', claim?.name);
  });
}

/** Kinds whose objects name a node, by plural. */
const boundToNode: Readonly<Record<string, string | undefined>> = {
  pods: 'pods',
  podcertificaterequests: 'podcertificaterequests.certificates.k8s.io',
};

const reading: readonly string[] = ['get', 'list', 'watch'];
const allow: Decision = { allowed: true, reason: '' };
const noOpinion: Decision = { allowed: false, reason: '' };

function refuse(reason: string): Decision {
  return { allowed: false, reason };
}
