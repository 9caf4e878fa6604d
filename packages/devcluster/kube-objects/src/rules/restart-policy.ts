/** A container as far as it is started again or not. */
interface Restartable {
  readonly restartPolicy?: string;
  readonly restartPolicyRules?:
    | readonly { readonly action?: string; readonly exitCodes?: ExitCodes | undefined }[]
    | null
    | undefined;
}

interface ExitCodes {
  readonly operator?: string;
  readonly values?: readonly number[] | null | undefined;
}

/**
 * Decides by the first of the container's rules that has this exit code, else by its restart policy, else by that of the pod (KEP-5307).
 * A rule to restart all containers counts as one to restart this one.
 */
export function allowsRestart(
  spec: { readonly restartPolicy?: string },
  container: Restartable,
  exitCode: number,
): boolean {
  const { restartPolicy = spec.restartPolicy ?? 'Always', restartPolicyRules } = container;
  const isOfRule = restartPolicyRules?.some(({ exitCodes }) => {
    const isListed = exitCodes?.values?.includes(exitCode) ?? false;
    return exitCodes !== undefined && isListed === (exitCodes.operator === 'In');
  });
  if (isOfRule) return true;
  return restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && exitCode !== 0);
}
