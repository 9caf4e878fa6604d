/** A device of a pool of a driver. */
export interface DeviceRef {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
}

/** The key of a device in maps and sets, in the form of messages: `DRIVER/POOL/DEVICE`. */
export function deviceId({ driver, pool, device }: DeviceRef): string {
  return `${driver}/${pool}/${device}`;
}
