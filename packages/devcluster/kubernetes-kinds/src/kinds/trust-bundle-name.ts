import { subdomainProblems } from '@slipway/api-machinery/errors/names';

/** Describes what is wrong with the name of a bundle: that of a signer begins with the signer's name, as `example.com:signer:any`. */
export function bundleNameProblems(name: string, signerName: string): readonly string[] {
  if (signerName === '') {
    return name.includes(':')
      ? ['ClusterTrustBundle without signer name must not have ":" in its name']
      : subdomainProblems(name);
  }
  const prefix = `${signerName.replaceAll('/', ':')}:`;
  return name.startsWith(prefix)
    ? subdomainProblems(name.slice(prefix.length))
    : [`ClusterTrustBundle for signerName ${signerName} must be named with prefix ${prefix}`];
}

/** The signer that the name of a bundle says; '' where it says none. */
export function signerOfBundle(name: string): string {
  const last = name.lastIndexOf(':');
  return last < 0 ? '' : name.slice(0, last).replaceAll(':', '/');
}
