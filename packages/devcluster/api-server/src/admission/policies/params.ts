import { type KubeObject, matchesSelector } from '@slipway/kube';
import type { BindingSpec, ParamRef, PolicySpec } from '@slipway/kube-objects/kinds/admission-policy';
import type { Store } from '@slipway/object-store/store';
import type { Attributes } from '../../attributes/admission.js';
import type { DefinitionRegistry } from '../../registry/definition-registry.js';

/** A binding that cannot be used as it is. The message completes `failed to configure binding: `. */
class PolicyConfigurationError extends Error {
  override readonly name = 'PolicyConfigurationError';
}

/** Where parameters of policies are found. */
export interface ParamSource {
  readonly store: Pick<Store, 'get' | 'list'>;
  readonly definitions: DefinitionRegistry;
}

/** Why a policy cannot be asked at all: its parameters are of a kind that is not served. Undefined when it can. */
export function paramKindProblem({ paramKind }: PolicySpec, { definitions }: ParamSource): string | undefined {
  if (!paramKind || definitionOf(paramKind, definitions)) return undefined;
  const [group, version] = groupAndVersion(paramKind);
  const shown = `${group}/${version}, Kind=${paramKind.kind}`;
  return `failed to configure policy: failed to find resource referenced by paramKind: '${shown}'`;
}

type ParamKind = NonNullable<PolicySpec['paramKind']>;

function definitionOf(paramKind: ParamKind, definitions: DefinitionRegistry) {
  return definitions.ofKind(...groupAndVersion(paramKind), paramKind.kind);
}

function groupAndVersion({ apiVersion }: ParamKind): readonly [group: string, version: string] {
  const [group = '', version] = apiVersion.split('/');
  return version === undefined ? ['', group] : [group, version];
}

/**
 * The parameters with which a binding asks its policy about a request: several when it selects
 * them by label, none when the policy is not to be asked, `[undefined]` when it is asked without. A
 * text says why the binding cannot be used.
 */
export function paramsOf(
  { paramKind }: PolicySpec,
  { paramRef }: BindingSpec,
  { namespace }: Attributes,
  source: ParamSource,
): readonly (KubeObject | undefined)[] | string {
  try {
    return collect(paramKind, paramRef, namespace, source);
  } catch (error) {
    if (!(error instanceof PolicyConfigurationError)) throw error;
    return `failed to configure binding: ${error.message}`;
  }
}

function collect(
  paramKind: PolicySpec['paramKind'],
  paramRef: ParamRef | undefined,
  namespace: string,
  source: ParamSource,
): readonly (KubeObject | undefined)[] {
  if (!paramKind || !paramRef) return [undefined];
  const { store, definitions } = source;
  const definition = definitionOf(paramKind, definitions);
  if (!definition) return [];
  const where = placeOf(definition.namespaced, paramRef, namespace);
  const { storedAs, view } = definition;
  const entries = paramRef.name
    ? [store.get(storedAs, where, paramRef.name)]
    : store.list(storedAs, where === '' ? {} : { namespace: where }).entries;
  const found = entries
    .flatMap((entry) => (entry ? [view?.fromStored(entry.object) ?? entry.object] : []))
    .filter(({ metadata }) => paramRef.name || matchesSelector(paramRef.selector, metadata.labels));
  if (found.length === 0 && paramRef.parameterNotFoundAction === 'Deny') {
    throw new PolicyConfigurationError('no params found for policy binding with `Deny` parameterNotFoundAction');
  }
  return found;
}

/** The namespace of the parameters: the one the binding names, or that of the request. */
function placeOf(isNamespaced: boolean, paramRef: ParamRef, namespace: string): string {
  if (!isNamespaced) {
    if (!paramRef.namespace) return '';
    throw new PolicyConfigurationError('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  }
  const where = paramRef.namespace || namespace;
  if (where !== '') return where;
  throw new PolicyConfigurationError(
    'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
  );
}
