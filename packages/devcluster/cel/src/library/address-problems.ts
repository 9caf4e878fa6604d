const quoted = (text: string) => JSON.stringify(text);

/** Says why a text is not an IP address, in the words of Go's parser; of IPv6 only that it is not one. */
export function addressProblem(text: string): string {
  const separator = /[.:%]/.exec(text)?.[0];
  const why = separator === '.' ? ipv4Problem(text) : separator === '%' ? 'missing IPv6 address' : 'unable to parse IP';
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
