/**
 * Puts the error of a decoder about a value of another type in the words that Kubernetes has where it converts what is
 * decoded already: after an apply and a strategic merge.
 */
export function inConversion(why: string): string {
  const [, given = '', type = ''] = /^json: cannot unmarshal (\w+).* of type (\w+)$/.exec(why) ?? [];
  if (given === 'number' && /^u?int\d*$/.test(type)) return `cannot convert float64 to ${type}`;
  return given === 'string' && /^(?:bool|u?int\d*|float\d*)$/.test(type) ? `unrecognized type: ${type}` : why;
}
