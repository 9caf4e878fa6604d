import type { User } from '../../api-server/request.js';

const group = 'system:nodes';
const prefix = 'system:node:';

/** Which node a user is: undefined = none, '' = one that does not say which. */
export function nodeName({ name, groups }: User): string | undefined {
  if (!groups.includes(group)) return undefined;
  return name.startsWith(prefix) ? name.slice(prefix.length) : '';
}

/** The kubelet of a node, as a user. */
export function nodeUser(node: string): User {
  return { name: `${prefix}${node}`, groups: [group, 'system:authenticated'] };
}
