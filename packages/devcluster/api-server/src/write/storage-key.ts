import type { Call, Core } from '../core/core.js';

/** Returns the etcd key of a call's object, which storage errors name. It begins with the flag `--etcd-prefix`. */
export function storageKey({ storagePrefix }: Pick<Core, 'storagePrefix'>, call: Call): string {
  const { group, plural, origin } = call.definition;
  const folder =
    origin === 'custom' || groupsWithFolders.includes(group) ? [group, plural] : [folders[plural] ?? plural];
  return [storagePrefix, ...folder, call.namespace, call.name].filter(Boolean).join('/');
}

/** Groups of servers of their own. */
const groupsWithFolders: readonly string[] = ['apiextensions.k8s.io', 'apiregistration.k8s.io'];

/** Kinds that are stored under the name that they had first. */
const folders: Readonly<Record<string, string>> = {
  endpoints: 'services/endpoints',
  ingresses: 'ingress',
  nodes: 'minions',
  replicationcontrollers: 'controllers',
  services: 'services/specs',
};

/** Returns the error of a write whose precondition names the uid of another object. */
export function otherUid(core: Core, call: Call, given: string, stored: string | undefined, dryRun: boolean): string {
  return unlike(core, call, `UID in precondition: ${given}, UID in object meta: ${stored}`, dryRun);
}

/** Returns the error of a write whose precondition names another version of the object. */
export function otherVersion(core: Core, call: Call, given: string, stored: string | undefined, dryRun: boolean) {
  const what = `ResourceVersion in precondition: ${given}, ResourceVersion in object meta: ${stored}`;
  return unlike(core, call, what, dryRun);
}

/** A dry run does not reach etcd, and leaves out its prefix. */
function unlike(core: Core, call: Call, what: string, dryRun: boolean): string {
  const key = storageKey(dryRun ? { storagePrefix: '' } : core, call);
  return (
    `StorageError: invalid object, Code: 4, Key: ${dryRun ? '/' : ''}${key}, ResourceVersion: 0, AdditionalErrorMsg: ` +
    `Precondition failed: ${what}`
  );
}
