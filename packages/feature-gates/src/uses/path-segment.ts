/**
 * A name as one segment of a path, so that it leads to the object of that name and nowhere else.
 * @throws RangeError for an empty name, `.` and `..`: HTTP clients take the last two as steps to another path, escaped or not.
 */
export function pathSegment(name: string): string {
  if (/^\.{0,2}$/.test(name)) throw new RangeError(`${JSON.stringify(name)} cannot be the name of an object`);
  return encodeURIComponent(name);
}
