import { labelProblems, subdomainProblems } from '@slipway/api-machinery/errors/names';
import {
  type Access,
  type Authorizer,
  authenticated,
  type Decision,
  type ResourceAccess,
} from '@slipway/api-machinery/identity/access';
import type { User } from '@slipway/api-machinery/identity/user';
import { celType } from '../values/cel-type.js';
import { type Failure, fail } from '../values/failure.js';
import { Opaque, type Value } from '../values/values.js';
import { type Overload, overload } from './overload.js';

/** A question that is being put together; asked when its verb is known. */
interface Asking {
  readonly authorizer: Pick<Authorizer, 'authorize'>;
  readonly user: User;
  readonly access: Unasked<Access>;
}

type Unasked<Some> = Some extends unknown ? Omit<Some, 'verb'> : never;

/** An expression can afford two questions. */
const unitsPerQuestion = 175_000;

export const authorizerType = celType('kubernetes.authorization.Authorizer');
export const resourceCheckType = celType('kubernetes.authorization.ResourceCheck');
const pathCheckType = celType('kubernetes.authorization.PathCheck');
const groupCheckType = celType('kubernetes.authorization.GroupCheck');
const decisionType = celType('kubernetes.authorization.Decision');

const anywhere: Unasked<ResourceAccess> = {
  kind: 'resource',
  group: '',
  version: '*',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
};

/** The value of `authorizer`. */
export function authorizerValue(authorizer: Asking['authorizer'], user: User): Value {
  return new Opaque(authorizerType, { authorizer, user, access: anywhere } satisfies Asking);
}

/** The value of `authorizer.requestResource`: a question about the object of a request. */
export function resourceCheckValue(
  authorizer: Asking['authorizer'],
  user: User,
  of: Omit<ResourceAccess, 'kind' | 'verb'>,
): Value {
  return new Opaque(resourceCheckType, { authorizer, user, access: { kind: 'resource', ...of } } satisfies Asking);
}

/** Questions about what users may do. Only policies and webhooks have an `authorizer` to ask. */
export const authorization = (): readonly Overload[] => [
  step('path', authorizerType.name, pathCheckType.name, (_, path) =>
    path.trim() === '' ? fail('path must not be empty') : { kind: 'path', path },
  ),
  step('group', authorizerType.name, groupCheckType.name, (access, group) => ({ ...access, group }) as typeof access),
  step('resource', groupCheckType.name, resourceCheckType.name, (access, resource) =>
    resource.trim() === '' ? fail('resource must not be empty') : ({ ...access, resource } as typeof access),
  ),
  ...(['subresource', 'namespace', 'name', 'fieldSelector'] as const).map((part) =>
    step(
      part,
      resourceCheckType.name,
      resourceCheckType.name,
      (access, value) => ({ ...access, [part]: value }) as typeof access,
    ),
  ),
  // No authorizer here looks at labels.
  step('labelSelector', resourceCheckType.name, resourceCheckType.name, (access) => access),
  overload(
    'serviceAccount',
    `${authorizerType.name}.(string, string): ${authorizerType.name}`,
    ([asking, namespace, name]) => asServiceAccount(asking as Opaque, namespace as string, name as string),
  ),
  ...[pathCheckType, resourceCheckType].map(({ name }) =>
    overload(
      'check',
      `${name}.(string): ${decisionType.name}`,
      ([asking, verb]) => ask(asking as Opaque, verb as string),
      {
        cost: () => unitsPerQuestion,
      },
    ),
  ),
  told('allowed', 'bool', ({ allowed }) => allowed),
  told('reason', 'string', ({ reason }) => reason),
  told('errored', 'bool', () => false),
  told('error', 'string', () => ''),
];

/** A method that makes the question more precise. */
function step(
  name: string,
  from: string,
  to: string,
  next: (access: Asking['access'], given: string) => Asking['access'] | Failure,
): Overload {
  const type = celType(to);
  return overload(name, `${from}.(string): ${to}`, ([asking, given]) => {
    const { access, ...rest } = (asking as Opaque).held as Asking;
    const precise = next(access, given as string);
    return 'message' in precise ? precise : new Opaque(type, { ...rest, access: precise } satisfies Asking);
  });
}

function ask({ held }: Opaque, verb: string): Value {
  const { authorizer, user, access } = held as Asking;
  return new Opaque(decisionType, authorizer.authorize(user, { ...access, verb } as Access));
}

function told(name: string, result: string, read: (decision: Decision) => Value): Overload {
  return overload(name, `${decisionType.name}.(): ${result}`, ([decision]) =>
    read((decision as Opaque).held as Decision),
  );
}

function asServiceAccount({ held }: Opaque, namespace: string, name: string): Value {
  if (subdomainProblems(name).length > 0) return fail('Invalid service account name');
  if (labelProblems(namespace).length > 0) return fail('Invalid service account namespace');
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, authenticated];
  return authorizerValue((held as Asking).authorizer, { name: `system:serviceaccount:${namespace}:${name}`, groups });
}
