import { type FieldError, forbidden, notSupported } from '@slipway/api-machinery/errors/field-error';

const named =
  'ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT SEGV STKFLT STOP SYS TERM TRAP TSTP TTIN TTOU ' +
  'URG USR1 USR2 VTALRM WINCH XCPU XFSZ';

/** Signals that a container of Linux can be stopped with, sorted. */
const ofLinux: readonly string[] = [
  ...named.split(' '),
  'RTMIN',
  ...Array.from({ length: 15 }, (_, index) => `RTMIN+${index + 1}`),
  ...Array.from({ length: 14 }, (_, index) => `RTMAX-${index + 1}`),
  'RTMAX',
]
  .map((name) => `SIG${name}`)
  .sort();

const ofWindows = ['SIGKILL', 'SIGTERM'];

/** Validates the signal that stops a container, which depends on the system that the pod names. */
export function validateStopSignal(signal: string, field: string, os: { name?: string } | undefined): FieldError[] {
  if (!os) return [forbidden(field, 'may not be set for containers with empty `spec.os.name`')];
  const supported = { linux: ofLinux, windows: ofWindows }[os.name ?? ''];
  return !supported || supported.includes(signal) ? [] : [notSupported(field, signal, supported)];
}
