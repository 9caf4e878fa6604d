import { oneOf } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, required, tooMany } from '@slipway/api-machinery/errors/field-error';
import type { ContainerFields, RestartRuleFields } from '@slipway/kube-objects/kinds/pod-spec';

const policies = ['Always', 'Never', 'OnFailure'];
const actions = ['Restart', 'RestartAllContainers'];
const operators = ['In', 'NotIn'];
const mostRules = 20;
const mostExitCodes = 255;
const needsPolicy = 'must specify restartPolicy when restart rules are used';

/** Validates when a container is started again. */
export function validateRestarts({ restartPolicy, restartPolicyRules }: ContainerFields, field: string): FieldError[] {
  const rules = restartPolicyRules ?? [];
  const at = `${field}.restartPolicy`;
  if (restartPolicy === undefined && rules.length === 0) return [];
  const errors: FieldError[] = [];
  if (restartPolicy === undefined) errors.push(required(at, needsPolicy));
  else errors.push(...oneOf(at, restartPolicy, policies));
  const ofRules = `${field}.restartPolicyRules`;
  if (rules.length > mostRules) errors.push(tooMany(ofRules, rules.length, mostRules));
  return [...errors, ...rules.flatMap((rule, index) => validateRule(rule, `${ofRules}[${index}]`))];
}

/** The same of an init container. */
export function validateInitRestarts(container: ContainerFields, field: string): FieldError[] {
  if (container.restartPolicy !== undefined) return validateRestarts(container, field);
  return (container.restartPolicyRules ?? []).length > 0 ? [required(`${field}.restartPolicy`, needsPolicy)] : [];
}

function validateRule({ action = '', exitCodes }: RestartRuleFields, field: string): FieldError[] {
  const errors = oneOf(`${field}.action`, action, actions);
  const at = `${field}.exitCodes`;
  if (!exitCodes) return [...errors, required(at, 'must be specified')];
  const { operator = '', values } = exitCodes;
  errors.push(...oneOf(`${at}.operator`, operator, operators));
  const count = (values ?? []).length;
  if (count > mostExitCodes) errors.push(tooMany(`${at}.values`, count, mostExitCodes));
  return errors;
}
