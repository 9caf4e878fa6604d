import { invalidBecause, oneOf } from '@slipway/api-machinery/errors/field-checks';
import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { duplicate, forbidden, invalid, required, tooLong, tooMany } from '@slipway/api-machinery/errors/field-error';
import { labelProblems, subdomainProblems } from '@slipway/api-machinery/errors/names';
import { repeatsIn } from '@slipway/api-machinery/errors/repeats';
import { compileDeviceSelector, maxUnits } from '@slipway/cel/kubernetes/device-selectors';
import type { TolerationFields } from '@slipway/kube-objects/kinds/pod-spec';
import { validateDriverName } from './csi-driver.js';

/** What of devices a claim, or the template of one, asks for (`spec.devices`). */
export interface DeviceClaimFields {
  requests?: DeviceRequestFields[] | null;
  constraints?: { requests?: string[] | null; matchAttribute?: string; distinctAttribute?: string }[] | null;
  config?: (DeviceConfigFields & { requests?: string[] | null })[] | null;
}

interface DeviceRequestFields {
  name?: string;
  exactly?: DeviceWishFields;
  firstAvailable?: (DeviceWishFields & { name?: string })[] | null;
}

interface DeviceWishFields {
  deviceClassName?: string;
  selectors?: DeviceSelectorFields[] | null;
  allocationMode?: string;
  count?: number;
  tolerations?: TolerationFields[] | null;
}

/** One condition on devices. */
export interface DeviceSelectorFields {
  cel?: { expression?: string };
}

/** Parameters for the driver of a device. */
export interface DeviceConfigFields {
  opaque?: { driver?: string; parameters?: unknown };
}

/** Fills in what is asked for where it is not said: one device. */
export function defaultDeviceRequests({ requests }: DeviceClaimFields): void {
  for (const { exactly, firstAvailable } of requests ?? []) {
    for (const wish of [...(exactly ? [exactly] : []), ...(firstAvailable ?? [])]) {
      wish.allocationMode ||= 'ExactCount';
      if (wish.allocationMode === 'ExactCount' && !wish.count) wish.count = 1;
    }
  }
}

/** In the words of Kubernetes, which are those for too many of them. */
const noAttribute = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';
const maxItems = 32;
const maxChoices = 8;

/** Validates the spec of a device claim. */
export function validateDeviceClaim({ requests, constraints, config }: DeviceClaimFields, field: string): FieldError[] {
  const names = requestNames(requests ?? []);
  const known = (refs: readonly string[] | null | undefined, at: string) => {
    const listed = refs ?? [];
    const isTwice = repeatsIn(listed);
    return listed.flatMap((name, index) => [
      ...(isTwice(index) ? [duplicate(`${at}[${index}]`, name)] : []),
      ...(names.has(name)
        ? []
        : [
            invalid(
              `${at}[${index}]`,
              name,
              "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'",
            ),
          ]),
    ]);
  };
  return [
    ...each(requests, `${field}.requests`, (request, at, earlier) => [
      ...validateName(request.name ?? '', `${at}.name`, earlier),
      ...validateRequest(request, at),
    ]),
    ...each(constraints, `${field}.constraints`, ({ requests: refs, matchAttribute, distinctAttribute }, at) => [
      ...known(refs, `${at}.requests`),
      ...(matchAttribute !== undefined
        ? validateAttribute(matchAttribute, `${at}.matchAttribute`)
        : distinctAttribute === undefined
          ? [required(at, noAttribute)]
          : validateAttribute(distinctAttribute, `${at}.distinctAttribute`)),
    ]),
    ...each(config, `${field}.config`, (one, at) => [
      ...known(one.requests, `${at}.requests`),
      ...validateConfig(one, at),
    ]),
  ];
}

/** Names that constraints and configuration may refer to: `gpu`, and of one with choices also `gpu/large`. */
function requestNames(requests: readonly DeviceRequestFields[]): ReadonlySet<string> {
  return new Set(
    requests.flatMap(({ name = '', firstAvailable }) => [
      name,
      ...(firstAvailable ?? []).map((choice) => `${name}/${choice.name ?? ''}`),
    ]),
  );
}

function validateRequest({ exactly, firstAvailable }: DeviceRequestFields, field: string): FieldError[] {
  const choices = firstAvailable ?? [];
  const rule = 'exactly one of `exactly` or `firstAvailable` is required';
  if (!exactly && choices.length === 0) return [required(field, rule)];
  if (exactly && choices.length > 0) return [invalid(field, null, `${rule}, but multiple fields are set`)];
  if (exactly) return validateWish(exactly, `${field}.exactly`);
  return each(
    choices,
    `${field}.firstAvailable`,
    (choice, at, earlier) => [...validateName(choice.name ?? '', `${at}.name`, earlier), ...validateWish(choice, at)],
    maxChoices,
  );
}

const modes = ['All', 'ExactCount'];

function validateWish(
  { deviceClassName = '', selectors, allocationMode = '', count = 0 }: DeviceWishFields,
  field: string,
) {
  return [
    ...(deviceClassName === ''
      ? [required(`${field}.deviceClassName`)]
      : invalidBecause(`${field}.deviceClassName`, deviceClassName, subdomainProblems(deviceClassName))),
    ...validateSelectors(selectors, `${field}.selectors`),
    ...oneOf(`${field}.allocationMode`, allocationMode, modes),
    ...(allocationMode === 'All' && count !== 0
      ? [invalid(`${field}.count`, count, "must not be specified when allocationMode is 'All'")]
      : []),
    ...(allocationMode === 'ExactCount' && count <= 0
      ? [invalid(`${field}.count`, count, 'must be greater than zero')]
      : []),
  ];
}

const longestExpression = 10 * 1024;

/** Validates the selectors of devices. */
export function validateSelectors(selectors: readonly DeviceSelectorFields[] | null | undefined, field: string) {
  return each(selectors, field, ({ cel }, at) => {
    if (!cel) return [required(`${at}.cel`)];
    const expression = cel.expression ?? '';
    if (expression === '') return [required(`${at}.cel.expression`)];
    return validateExpression(expression, `${at}.cel.expression`);
  });
}

function validateExpression(expression: string, field: string): FieldError[] {
  if (expression.length > longestExpression) return [tooLong(field, longestExpression)];
  const compiled = compileDeviceSelector(expression);
  if (typeof compiled === 'string') return [invalid(field, expression, compiled)];
  return compiled.cost > maxUnits ? [forbidden(field, 'too complex, exceeds cost limit')] : [];
}

/** Validates parameters for a driver. */
export function validateConfig({ opaque }: DeviceConfigFields, field: string): FieldError[] {
  if (!opaque) return [required(`${field}.opaque`)];
  const { driver = '', parameters } = opaque;
  return [
    ...(driver === '' ? [required(`${field}.opaque.driver`)] : validateDriverName(driver, `${field}.opaque.driver`)),
    ...((parameters ?? null) === null ? [required(`${field}.opaque.parameters`)] : []),
  ];
}

/** A list of at most so many items, each looked at with the names of those before it. */
function each<T extends object>(
  items: readonly T[] | null | undefined,
  field: string,
  check: (item: T, at: string, earlier: ReadonlySet<string>) => readonly FieldError[],
  most = maxItems,
): FieldError[] {
  const list = items ?? [];
  const earlier = new Set<string>();
  const errors = list.flatMap((item, index) => {
    const found = check(item, `${field}[${index}]`, earlier);
    if ('name' in item && typeof item.name === 'string') earlier.add(item.name);
    return found;
  });
  return list.length > most ? [...errors, tooMany(field, list.length, most)] : errors;
}

function validateName(name: string, field: string, earlier: ReadonlySet<string>): FieldError[] {
  return [...invalidBecause(field, name, labelProblems(name)), ...(earlier.has(name) ? [duplicate(field, name)] : [])];
}

/** `driver.example/model`: attributes in constraints always say whose they are. */
function validateAttribute(name: string, field: string): FieldError[] {
  const slash = name.indexOf('/');
  if (slash <= 0) return [invalid(field, name, 'must include a domain')];
  const identifier = name.slice(slash + 1);
  return [
    ...invalidBecause(field, name.slice(0, slash), subdomainProblems(name.slice(0, slash))),
    ...(/^[A-Za-z_][A-Za-z0-9_]*$/.test(identifier)
      ? []
      : [
          invalid(
            field,
            identifier,
            "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric " +
              "characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is " +
              "'[A-Za-z_][A-Za-z0-9_]*')",
          ),
        ]),
  ];
}
