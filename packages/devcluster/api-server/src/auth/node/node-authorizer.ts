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
  'serviceaccounts.': createsTokens,
  'leases.coordination.k8s.io': keepsItsLease,
  'nodes.': caresForItself,
  'pods.': runsItsPods,
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

function createsTokens(store: AdmissionReader, node: string, access: ResourceAccess): Decision {
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
  const { verb, subresource, name, fieldSelector = '' } = access;
  if (subresource === 'status') return ['update', 'patch'].includes(verb) ? allow : noOpinion;
  if (subresource === 'eviction') return verb === 'create' ? allow : noOpinion;
  if (subresource !== '') return noOpinion;
  if (verb === 'create' || verb === 'delete') return allow;
  if (!reading.includes(verb)) return noOpinion;
  if (
    verb !== 'get' &&
    fieldSelector.split(',').some((term) => /^spec\.nodeName==?/.test(term) && term.endsWith(`=${node}`))
  ) {
    return allow;
  }
  if (verb === 'get' || name !== '') return ifRelated(store, node, access);
  return refuse('can only list/watch pods with spec.nodeName field selector');
}

function ifRelated(store: AdmissionReader, node: string, access: ResourceAccess): Decision {
  if (access.name === '') return refuse('No Object name found');
  if (isRelated(store, node, access)) return allow;
  return refuse(`no relationship found between node '${node}' and this object`);
}

function isRelated(store: AdmissionReader, node: string, { resource, namespace, name }: ResourceAccess): boolean {
  if (resource === 'pods') return store.latest('pods', namespace, name)?.object.spec?.nodeName === node;
  const pods = store.list('pods', namespace === '' ? {} : { namespace }).entries;
  return pods.some(({ object: pod }) => {
    if (pod.spec?.nodeName !== node) return false;
    if (resource !== 'persistentvolumes') return podUses(pod, resource, name);
    const volume = store.latest('persistentvolumes', '', name)?.object;
    const claim = volume?.spec?.claimRef;
    return claim?.namespace === pod.metadata.namespace && podUses(pod, 'persistentvolumeclaims', claim?.name);
  });
}

const reading: readonly string[] = ['get', 'list', 'watch'];
const allow: Decision = { allowed: true, reason: '' };
const noOpinion: Decision = { allowed: false, reason: '' };

function refuse(reason: string): Decision {
  return { allowed: false, reason };
}
