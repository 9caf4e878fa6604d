/** The minor number of a Kubernetes version: 37 of `1.37` or `1.37.2`. */
export function minorOf(version: string): number {
  return Number(version.split('.')[1]);
}
