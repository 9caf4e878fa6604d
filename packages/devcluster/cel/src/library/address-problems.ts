const quoted = (text: string) => JSON.stringify(text);

/** Says why a text is not an IP address, in the words of Go's parser. */
export function addressProblem(text: string): string {
  const separator = /[.:%]/.exec(text)?.[0];
  const why =
    separator === '.'
      ? ipv4Problem(text)
      : separator === ':'
        ? ipv6Problem(text)
        : separator === '%'
          ? 'missing IPv6 address'
          : 'unable to parse IP';
  return `ParseAddr(${quoted(text)}): ${why}`;
}

function ipv4Problem(text: string): string {
  const fields = text.split('.');
  let position = 0;
  for (const [index, field] of fields.entries()) {
    const digits = /^\d*/.exec(field)?.[0] ?? '';
    if (/^0\d/.test(digits)) return 'IPv4 field has octet with leading zero';
    if (Number(digits) > 255) return 'IPv4 field has value >255';
    if (digits !== field) return `unexpected character (at ${quoted(text.slice(position + digits.length))})`;
    position += field.length;
    if (index === fields.length - 1) break;
    const isAtEnd = position === text.length - 1;
    if (field === '' || isAtEnd) return `IPv4 field must have at least one digit (at ${quoted(text.slice(position))})`;
    if (index === 3) return 'IPv4 address too long';
    position++;
  }
  return fields.length < 4 ? 'IPv4 address too short' : 'unable to parse IP';
}

function ipv6Problem(text: string): string {
  const [address = '', ...zone] = text.split('%');
  if (zone.length > 0 && zone.join('%') === '') return 'zone must be a non-empty string';
  let rest = address.startsWith('::') ? address.slice(2) : address;
  let hasGap = rest !== address;
  let groups = 0;
  while (groups < 8 && !(hasGap && rest === '')) {
    const at = ` (at ${quoted(rest)})`;
    const digits = /^[0-9a-fA-F]*/.exec(rest)?.[0] ?? '';
    if (digits.length > 4) return `each group must have 4 or less digits${at}`;
    if (digits === '') return `each colon-separated field must have at least one digit${at}`;
    if (rest[digits.length] === '.') {
      if (!hasGap && groups !== 6) return `embedded IPv4 address must replace the final 2 fields of the address${at}`;
      if (groups > 6) return `too many hex fields to fit an embedded IPv4 at the end of the address${at}`;
      return ipv4Problem(rest);
    }
    groups++;
    rest = rest.slice(digits.length);
    if (rest === '') break;
    if (rest[0] !== ':') return `unexpected character, want colon (at ${quoted(rest)})`;
    if (rest === ':') return 'colon must be followed by more characters (at ":")';
    rest = rest.slice(1);
    if (rest[0] !== ':') continue;
    if (hasGap) return `multiple :: in address (at ${quoted(rest)})`;
    hasGap = true;
    rest = rest.slice(1);
  }
  if (rest !== '') return `trailing garbage after address (at ${quoted(rest)})`;
  return hasGap ? 'the :: must expand to at least one field of zeros' : 'address string too short';
}

/** The same of a network, such as `10.0.0.0/8`. */
export function networkProblem(text: string, isAddress: (text: string) => boolean): string {
  const slash = text.lastIndexOf('/');
  const [address, length] = [text.slice(0, slash), text.slice(slash + 1)];
  const why =
    slash < 0
      ? "no '/'"
      : !isAddress(address)
        ? addressProblem(address)
        : /^(0|[1-9]\d*)$/.test(length)
          ? 'prefix length out of range'
          : `bad bits after slash: ${quoted(length)}`;
  return `netip.ParsePrefix(${quoted(text)}): ${why}`;
}
