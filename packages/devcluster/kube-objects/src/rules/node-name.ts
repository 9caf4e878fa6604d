import type { User } from '@slipway/api-machinery/identity/user';

/** The group that all nodes are in, and what their names as users begin with. */
export const nodeGroup = 'system:nodes';
export const nodeUserPrefix = 'system:node:';

/** Which node a user is: undefined = none, '' = one that does not say which. */
export function nodeName({ name, groups }: User): string | undefined {
  if (!groups.includes(nodeGroup)) return undefined;
  return name.startsWith(nodeUserPrefix) ? name.slice(nodeUserPrefix.length) : '';
}

/** The kubelet of a node, as a user. */
export function nodeUser(node: string): User {
  return { name: `${nodeUserPrefix}${node}`, groups: [nodeGroup, 'system:authenticated'] };
}
