import { forbidden, statusError } from '@slipway/api-machinery/errors/status-errors';
import type { Access } from '@slipway/api-machinery/identity/access';
import type { User } from '@slipway/api-machinery/identity/user';
import type { StatusError } from '@slipway/kube';

/** 403 in the words that kubectl shows: who may not do what, where, and why if there is more to say. */
export function accessForbidden(user: User, access: Access, reason: string): StatusError {
  const why = `${forHtml(refusal(user, access))}${reason === '' ? '' : `: ${reason}`}`;
  if (access.kind === 'path') return statusError(403, 'Forbidden', `forbidden: ${why}`, {});
  return forbidden({ group: access.group, plural: access.resource }, access.name, why);
}

function refusal({ name }: User, access: Access): string {
  const who = `User ${JSON.stringify(name)}`;
  if (access.kind === 'path') return `${who} cannot ${access.verb} path ${JSON.stringify(access.path)}`;
  const { verb, resource, subresource, group, namespace } = access;
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  return `${who} cannot ${verb} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}`;
}

/** Some clients show messages in pages of theirs: names in them are not to become markup. */
function forHtml(text: string): string {
  return text.replace(/[&<>]/g, (sign) => entities[sign] ?? sign);
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
