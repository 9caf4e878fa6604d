import { type FieldError, invalid, notSupported, required } from '@slipway/api-machinery/errors/field-error';
import { type JsonSchema, propertySchema, valueSchema } from '@slipway/api-machinery/schema/json-schema';

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/** Checks what can be said of x-kubernetes-validations without reading their expressions. */
export function validateRules(schema: JsonSchema, path: string): FieldError[] {
  return (schema['x-kubernetes-validations'] ?? []).flatMap((rule, index) =>
    validateRule(rule, schema, `${path}.x-kubernetes-validations[${index}]`),
  );
}

function validateRule(given: Readonly<Record<string, unknown>>, schema: JsonSchema, path: string): FieldError[] {
  const text = (name: string) => (given[name] as string | undefined) ?? '';
  const rule = text('rule').trim();
  const message = text('message');
  const fieldPath = text('fieldPath');
  const errors: FieldError[] = [];
  if (rule === '') errors.push(required(`${path}.rule`, 'rule is not specified'));
  else if (message !== '' && message.trim() === '') {
    errors.push(invalid(`${path}.message`, message, 'must be non-empty if specified'));
  } else if (hasLineBreak(message.trim())) {
    errors.push(invalid(`${path}.message`, message, 'must not contain line breaks'));
  } else if (hasLineBreak(rule) && message.trim() === '') {
    errors.push(required(`${path}.message`, 'message must be specified if rule contains line breaks'));
  }
  if (text('messageExpression') !== '' && text('messageExpression').trim() === '') {
    errors.push(required(`${path}.messageExpression`, 'must be non-empty if specified'));
  }
  if (given.reason !== undefined && !reasons.includes(text('reason'))) {
    errors.push(notSupported(`${path}.reason`, given.reason, reasons));
  }
  if (fieldPath !== '' && fieldPath.trim() === '') {
    errors.push(invalid(`${path}.fieldPath`, fieldPath, 'must be non-empty if specified'));
  }
  if (hasLineBreak(fieldPath)) {
    errors.push(invalid(`${path}.fieldPath`, fieldPath, 'must not contain line breaks'));
  }
  if (fieldPath !== '' && !leadsSomewhere(fieldPath, schema)) {
    errors.push(invalid(`${path}.fieldPath`, fieldPath, 'must be a valid path'));
  }
  return errors;
}

/** Whether `.a.b['c']` names fields that the schema has; elements of lists have no names. */
function leadsSomewhere(fieldPath: string, schema: JsonSchema): boolean {
  let rest = fieldPath;
  let at: JsonSchema | undefined = schema;
  while (rest !== '') {
    const found: RegExpExecArray | null = /^(?:\.([^.[\]'\s]+)|\['((?:\\.|[^'\\])+)'\])/.exec(rest);
    if (!found) return false;
    const name = found[1] ?? (found[2] as string).replace(/\\(.)/g, '$1');
    at = propertySchema(at, name) ?? valueSchema(at);
    if (!at) return false;
    rest = rest.slice(found[0].length);
  }
  return true;
}

function hasLineBreak(text: string): boolean {
  return /[\r\n]/.test(text);
}
