import { methodCall, type Node, qualifiedName } from './parse.js';
import { CelSyntaxError } from './syntax-error.js';

/** The same as `methodCall`, with `cel.bind(x, value, body)`: the body, in which `x` is the value. @throws CelSyntaxError */
export function callOrBinding(target: Node, name: string, args: readonly Node[], at: number): Node {
  const [variable, value, body] = args;
  const isBinding = qualifiedName(target) === 'cel' && name === 'bind' && args.length === 3;
  if (!isBinding || !variable || !value || !body) return methodCall(target, name, args, at);
  if (variable.kind !== 'name') {
    throw new CelSyntaxError(variable.at, 'cel.bind() variable names must be simple identifiers');
  }
  const given = methodCall({ kind: 'name', at, name: 'optional' }, 'of', [value], at);
  return methodCall(methodCall(given, 'optMap', [variable, body], at), 'value', [], at);
}
