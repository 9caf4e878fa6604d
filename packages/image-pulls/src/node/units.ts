/** The files that make the limiter a service of systemd. */
export interface UnitOptions {
  /** What starts `slipway`, word by word; the first one is an absolute path. */
  readonly command: readonly string[];
  /** Path of its PullsConfiguration. */
  readonly config: string;
  /** Where it listens. */
  readonly listen: string;
}

/** Folders that the service does not see as others do. */
export const hiddenFolders = ['/home', '/root', '/run/user', '/tmp', '/var/tmp'] as const;

/**
 * The socket is systemd's: while the service restarts, who connects waits instead of failing.
 */
export function socketUnit({ listen }: UnitOptions): string {
  return `[Unit]
Description=Limit of parallel image pulls: the socket of the kubelet
Before=kubelet.service

[Socket]
ListenStream=${listen}
SocketMode=0600
DirectoryMode=0700
RemoveOnStop=no
Backlog=4096

[Install]
WantedBy=sockets.target
`;
}

/**
 * It does not require the runtime: that may restart without us, and we wait for it. It runs as root without any
 * capability, because the sockets of runtimes belong to root. Memory may be written and executed, which V8 compiles into.
 */
export function serviceUnit({ command, config }: UnitOptions): string {
  return `[Unit]
Description=Limit of parallel image pulls
After=containerd.service crio.service
Before=kubelet.service

[Service]
ExecStart=${[...command, 'pulls', 'serve', '--config', config].map(unitWord).join(' ')}
ExecReload=/bin/kill -HUP $MAINPID
Restart=always
RestartSec=200ms
TimeoutStopSec=31min
OOMScoreAdjust=-999
MemoryMax=256M
LimitNOFILE=65536
LimitCORE=0
RuntimeDirectory=slipway/pulls
RuntimeDirectoryMode=0700
RuntimeDirectoryPreserve=yes
StateDirectory=slipway/pulls
StateDirectoryMode=0700
# The single executable unpacks itself there.
CacheDirectory=slipway
CacheDirectoryMode=0700
Environment=XDG_CACHE_HOME=/var/cache
UMask=0077

# Metrics are served to this machine only. For others: systemctl edit slipway-pulls, with IPAddressAllow=ADDRESS.
IPAddressDeny=any
IPAddressAllow=localhost
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6

CapabilityBoundingSet=
NoNewPrivileges=yes
DevicePolicy=closed
KeyringMode=private
LockPersonality=yes
PrivateDevices=yes
PrivateMounts=yes
PrivateTmp=yes
ProcSubset=pid
ProtectClock=yes
ProtectControlGroups=yes
ProtectHome=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
ProtectSystem=strict
RemoveIPC=yes
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallErrorNumber=EPERM
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources

[Install]
WantedBy=multi-user.target
`;
}

/** A word as systemd reads it back: it expands `%` and `$`, and splits at spaces. */
function unitWord(word: string): string {
  const literal = word.replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /^[\w@%+=:,./$-]+$/.test(literal) ? literal : `"${literal.replace(/["\\]/g, '\\$&')}"`;
}
