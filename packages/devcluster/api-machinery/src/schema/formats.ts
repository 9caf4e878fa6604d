import { isIPv6 } from 'node:net';
import { labelProblems, subdomainProblems } from '../errors/names.js';

/** Formats of strings that are checked; `type: string` with another one is not restricted by it. */
export const stringFormats: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['date', isDate],
  ['date-time', isDateTime],
  ['datetime', isDateTime],
  ['duration', isDuration],
  ['byte', (text: string) => text !== '' && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text)],
  ['password', () => true],
  ['ipv4', (text: string) => isIpv4(text) || (isIpv6(text) && text.includes('.'))],
  ['ipv6', isIpv6],
  ['cidr', isCidr],
  ['mac', isMac],
  ['uuid', (text: string) => isUuid(text, '[0-9a-f]', '[0-9a-f]')],
  ['uuid3', (text: string) => isUuid(text, '3', '[0-9a-f]')],
  ['uuid4', (text: string) => isUuid(text, '4', '[89ab]')],
  ['uuid5', (text: string) => isUuid(text, '5', '[89ab]')],
  ['email', isEmail],
  ['hostname', isHostname],
  ['uri', isUri],
  ['isbn', (text: string) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', (text: string) => /^\d{3}[- ]\d{2}[- ]\d{4}$/.test(text)],
  ['hexcolor', (text: string) => /^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text)],
  ['rgbcolor', isRgb],
  ['bsonobjectid', (text: string) => /^[0-9a-fA-F]{24}$/.test(text)],
  ['k8s-short-name', (text: string) => labelProblems(text).length === 0],
  ['k8s-long-name', (text: string) => subdomainProblems(text).length === 0],
]);

function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  if (year === undefined) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day);
}

function isDateTime(text: string): boolean {
  const [date = '', time = ''] = text.toLowerCase().split('t');
  const [, hour = '', minute = '', second = ''] = /^(\d\d):(\d\d):(\d\d)(?:.\d+)?(?:z|[+-]\d\d:\d\d)$/.exec(time) ?? [];
  return isDate(date) && hour !== '' && hour <= '23' && minute <= '59' && second <= '59';
}

/** As Go writes durations, or numbers with units in words, of which one that is known is enough: `1h30m`, `2 days`. */
function isDuration(text: string): boolean {
  if (/^[-+]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[nuµμm]?s|m|h))+)$/.test(text)) return true;
  const units = [...text.matchAll(/\d\s*([a-zµ]+)/gi)];
  return units.some(([, unit = '']) =>
    /^(?:[nuµm]?s|[mhdw]|hr|wk|(?:nano|micro|milli|sec|min|hour|day|week).*)$/i.test(unit),
  );
}

function isIpv6(text: string): boolean {
  return isIPv6(text) && !text.includes('%');
}

function isIpv4(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^\d+$/.test(part) && Number(part) <= 255);
}

function isCidr(text: string): boolean {
  const [address = '', prefix = '', ...more] = text.split('/');
  if (more.length > 0 || !/^\d+$/.test(prefix)) return false;
  if (isIpv4(address)) return Number(prefix) <= 32;
  return isIPv6(address) && Number(prefix) <= 128;
}

function isMac(text: string): boolean {
  const octets = /^[0-9a-f]{2}(?:([:-])[0-9a-f]{2})(?:\1[0-9a-f]{2})*$/i.test(text) ? (text.length + 1) / 3 : 0;
  const groups = /^[0-9a-f]{4}(?:\.[0-9a-f]{4})+$/i.test(text) ? (text.length + 1) / 5 : 0;
  return [6, 8, 20].includes(octets) || [3, 4, 10].includes(groups);
}

function isUuid(text: string, version: string, variant: string): boolean {
  const pattern = `^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`;
  return new RegExp(pattern, 'i').test(text);
}

const letter = 'a-z\\p{L}';
const sign = `0-9\\p{S}${letter}`;
/** One label, in which only the second sign may be a hyphen; or several, of which the last is of letters only. */
const hostname = new RegExp(
  `^(?:[${sign}]-?[${sign}]{0,62}|(?:[${sign}](?:[-${sign}]{0,61}[${sign}])?\\.)+[${letter}]{2,63})$`,
  'iu',
);

function isHostname(text: string): boolean {
  return (
    Buffer.byteLength(text) <= 255 &&
    text.split('.').every((part) => Buffer.byteLength(part) <= 63) &&
    hostname.test(text)
  );
}

const atom = /^[-\w!#$%&'*+/=?^`{|}~\u{80}-\u{10ffff}]+$/u;

/** An address, possibly in angle brackets and with the name of its owner before it. */
function isEmail(text: string): boolean {
  const trimmed = text.trim();
  const start = trimmed.endsWith('>') ? trimmed.lastIndexOf('<') : -1;
  if (start < 0) return isAddress(trimmed);
  const words = withoutQuoted(trimmed.slice(0, start)).split(/[\s.]+/);
  return words.every((word) => word === '' || atom.test(word)) && isAddress(trimmed.slice(start + 1, -1));
}

function isAddress(text: string): boolean {
  const at = text.lastIndexOf('@');
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || !(isDotted(local) || (local.startsWith('"') && withoutQuoted(local) === ''))) return false;
  return domain.startsWith('[') ? /^\[[0-9a-f:.]+\]$/i.test(domain) : isDotted(domain);
}

function isDotted(text: string): boolean {
  return text.split('.').every((part) => atom.test(part));
}

/** A quote that never ends stays, and is in no word. */
function withoutQuoted(text: string): string {
  return text.replace(/"(?:[^"\\]|\\[\s\S])*("|\\?$)/g, (_, end) => (end === '"' ? '' : '"'));
}

/** An absolute URI or an absolute path. */
function isUri(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
  if (text === '' || /[\u0000-\u001f\u007f]/.test(text)) return false;
  if (text === '*') return true;
  // What has no path is not unescaped.
  const isOpaque = /^[a-z][-+.a-z0-9]*:(?!\/)/i.test(text);
  if (!isOpaque && /%(?![0-9a-f]{2})/i.test(text)) return false;
  if (text.startsWith('/')) return true;
  const [, rest] = /^[a-z][-+.a-z0-9]*:(.*)$/i.exec(text) ?? [];
  if (rest === undefined) return false;
  if (!rest.startsWith('//')) return true;
  const authority = rest.slice(2).split(/[/?]/, 1)[0] ?? '';
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  return host.startsWith('[') ? /^\[[0-9a-f:.%a-z]+\](?::\d*)?$/i.test(host) : /^[^\s:<>"[\]]*(?::\d*)?$/.test(host);
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]/g, '');
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  const sum = [...digits].reduce(
    (total, digit, index) => total + (digit === 'X' ? 10 : Number(digit)) * (10 - index),
    0,
  );
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]/g, '');
  if (!/^\d{13}$/.test(digits)) return false;
  return [...digits].reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0) % 10 === 0;
}

function isCreditCard(text: string): boolean {
  const digits = text.replace(/\D/g, '');
  if (
    !/^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|6(?:011|5\d\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/.test(
      digits,
    )
  )
    return false;
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

function isRgb(text: string): boolean {
  const [, ...parts] = /^rgb\(\s*(0|[1-9]\d*)\s*,\s*(0|[1-9]\d*)\s*,\s*(0|[1-9]\d*)\s*\)$/.exec(text) ?? [];
  return parts.length === 3 && parts.every((part) => Number(part) <= 255);
}
