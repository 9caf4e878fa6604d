/** A double as text, as Go writes it: `1e+06`, `0.1`, `+Inf`. */
export function doubleText(value: number): string {
  const special = specialText(value);
  if (special !== undefined) return special;
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return plainText(value);
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

/** `NaN` and the infinities; undefined for all other numbers. */
export function specialText(value: number): string | undefined {
  if (Number.isNaN(value)) return 'NaN';
  if (Number.isFinite(value)) return undefined;
  return value > 0 ? '+Inf' : '-Inf';
}

/** The shortest digits that mean a finite number, without an exponent. */
export function plainText(value: number): string {
  const [mantissa = '', exponent = '0'] = Math.abs(value).toExponential().split('e');
  const digits = mantissa.replace('.', '');
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  return `${sign}${withPoint(digits, digits.length - 1 - Number(exponent))}`;
}

/** A finite number with so many digits after the point; halves become even, as in Go. */
export function fixedText(value: number, digits: number): string {
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  return `${sign}${withPoint(String(scaled(value, digits)), digits, digits)}`;
}

/** The digits of a finite number, as many as wanted, and the power of ten of the first. */
export function significantDigits(value: number, count: number): { digits: string; power: number } {
  if (value === 0) return { digits: '0'.repeat(count), power: 0 };
  const power = Number(value.toExponential().split('e')[1]);
  const digits = String(scaled(value, count - 1 - power));
  return digits.length > count ? { digits: digits.slice(0, count), power: power + 1 } : { digits, power };
}

/** The whole number nearest to the size of a double times a power of ten. */
function scaled(value: number, power: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Math.abs(value));
  const bits = view.getBigUint64(0);
  const exponent = Number(bits >> 52n);
  const mantissa = (bits & ((1n << 52n) - 1n)) | (exponent === 0 ? 0n : 1n << 52n);
  const shift = Math.max(exponent, 1) - 1075;
  const above = mantissa * 10n ** BigInt(Math.max(power, 0)) * 2n ** BigInt(Math.max(shift, 0));
  const below = 10n ** BigInt(Math.max(-power, 0)) * 2n ** BigInt(Math.max(-shift, 0));
  const [whole, rest] = [above / below, (above % below) * 2n];
  const isUp = rest > below || (rest === below && whole % 2n === 1n);
  return isUp ? whole + 1n : whole;
}

/** Digits with a point that has so many of them after it, and zeros where there are none. */
function withPoint(digits: string, after: number, atLeast = 0): string {
  const all = digits.padStart(after + 1, '0') + '0'.repeat(Math.max(0, -after));
  const whole = after > 0 ? all.slice(0, -after) : all;
  const fraction = after > 0 ? all.slice(-after) : '';
  const kept = fraction.padEnd(atLeast, '0');
  return kept === '' ? whole : `${whole}.${kept}`;
}
