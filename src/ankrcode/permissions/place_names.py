"""The names behind `places`: data, one reason per group. Patterns are fnmatch, case folded."""

# Files that hold keys, tokens or passwords, by name alone.
SECRET_NAMES = (
    *(".env", ".env.*", "*.env", ".envrc", ".netrc", "_netrc", ".git-credentials", ".npmrc"),
    *(".pypirc", ".pgpass", ".my.cnf", ".mylogin.cnf", ".htpasswd", ".dockercfg", ".boto"),
    *(".s3cfg", ".vault-token", ".terraformrc", "*.tfstate", "*.tfstate.backup", "*.tfvars"),
    *("id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "*.pem", "*.key", "*.p12", "*.pfx"),
    *("*.jks", "*.keystore", "*.kdbx", "*.ppk", "*.keytab", "*.pkcs12", "*.p8"),
    *("credentials", "credentials.*", "credential.*", "secrets", "secrets.*", "secret.*"),
    *("*_history", ".lesshst", ".viminfo", "*.secret", "*.secrets", "*.token", ".token"),
    *("service-account*.json", "service_account*.json", "application_default_credentials.json"),
    *("client_secret*.json", "auth.json", "hosts.yml", "rclone.conf", "wallet.dat", "*.ovpn"),
    *("wp-config.php", "shadow", "shadow-", "gshadow", "gshadow-", "master.passwd", "sudoers"),
    *("ssh_host_*_key", ".credentials.json", ".claude.json", "kubeconfig", "*.kubeconfig"),
)
SECRET_EXCEPTIONS = (
    *("*.pub", "*.example", "*.sample", "*.template", "*.dist", "*.defaults", "*.tmpl"),
    *("secrets.py", "secret.py", "credentials.py", "secrets.ts", "secrets.js", "secrets.go"),
    *("credentials.ts", "credentials.js", "credentials.go", "credentials.rs", "secrets.rs"),
    *("secrets.md", "credentials.md", "secrets.rb", "secrets.java", "secrets.h", "secrets.c"),
)
# Everything below a folder of this name.
SECRET_FOLDERS = (
    *(".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store", ".mozilla"),
    *(".config/gcloud", ".config/gh", ".config/google-chrome", ".config/chromium", ".codex"),
    *("keychains", ".config/op", ".1password", ".thunderbird", "gcloud/legacy_credentials"),
)
SECRET_PATHS = (
    *("/etc/shadow*", "/etc/gshadow*", "/etc/sudoers*", "/etc/ssl/private*", "/etc/ssh/*_key"),
    *("/etc/krb5.keytab", "/etc/security/*", "/etc/wireguard*", "/etc/openvpn*"),
    *("/proc/*/environ", "/proc/*/mem", "/proc/*/fd/*", "/proc/kcore", "/proc/kmem"),
    *("/dev/mem", "/dev/kmem", "/dev/port", "/run/secrets*", "/var/run/secrets*"),
    *("*/.cargo/credentials*", "*/.gem/credentials", "*/.m2/settings.xml", "*/.config/hub"),
    *("*/.gradle/gradle.properties", "*/.composer/auth.json", "*/.subversion/auth*"),
    *("*/.local/share/keyrings*", "*/.config/rclone*", "*/.rclone.conf", "/var/lib/sss*"),
)
# Outside the workspace, the content of these may be read: programs, their documentation and
# libraries, facts about the machine, temporary files, logs that every account may see.
HARMLESS = (
    *("/usr", "/usr/*", "/bin", "/bin/*", "/sbin", "/sbin/*", "/lib*", "/sys", "/sys/*"),
    *("/tmp", "/tmp/*", "/var/tmp", "/var/tmp/*", "/var/log", "/var/log/*.log", "/var/log/syslog*"),
    *("/var/log/messages*", "/var/log/dmesg*", "/var/log/apt/*", "/var/log/dpkg.log*"),
    *("/var/lib/dpkg", "/var/lib/dpkg/*", "/opt/homebrew/*", "/System/*", "/Library/Developer/*"),
    *("/etc/os-release", "/etc/*-release", "/etc/*_version", "/etc/hostname", "/etc/hosts"),
    *("/etc/issue*", "/etc/motd", "/etc/timezone", "/etc/localtime", "/etc/shells", "/etc/magic"),
    *("/etc/services", "/etc/protocols", "/etc/networks", "/etc/resolv.conf", "/etc/host.conf"),
    *("/etc/nsswitch.conf", "/etc/locale*", "/etc/fstab", "/etc/mtab", "/etc/profile"),
    *("/etc/bash.bashrc", "/etc/inputrc", "/etc/ld.so.conf*", "/etc/mime.types", "/etc/group"),
    *("/etc/debian_version", "/etc/apt/sources.list*", "/etc/login.defs", "/etc/lsb-release"),
    *("/proc/cpuinfo", "/proc/meminfo", "/proc/version*", "/proc/loadavg", "/proc/uptime"),
    *("/proc/stat", "/proc/mounts", "/proc/partitions", "/proc/filesystems", "/proc/modules"),
    *("/proc/devices", "/proc/interrupts", "/proc/swaps", "/proc/vmstat", "/proc/diskstats"),
    *("/proc/net/*", "/proc/sys/*", "/proc/cmdline", "/proc/*/status", "/proc/*/stat"),
    *("/proc/*/limits", "/proc/*/cgroup", "/proc/*/mountinfo", "/proc/*/mounts", "/proc/*/comm"),
    *("/proc/*/cmdline", "/proc/*/statm", "/proc/*/io", "/proc/*/maps", "/proc/pressure/*"),
    *("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"),
    *("/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd", "/dev/fd/*", "/proc/self/fd"),
)
# Top-level folders of the systems we know; /tmp may be emptied with approval.
SYSTEM_FOLDERS = frozenset(
    {
        *("/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/lib32", "/lib64", "/libx32"),
        *("/media", "/mnt", "/opt", "/proc", "/root", "/run", "/sbin", "/srv", "/sys", "/usr"),
        *("/var", "/usr/bin", "/usr/lib", "/usr/lib64", "/usr/sbin", "/usr/share", "/var/lib"),
        *("/usr/local", "/var/log", "/var/spool", "/usr/include", "/etc/ssh", "/etc/pam.d"),
        *("/Applications", "/Library", "/System", "/Users", "/Volumes", "/private", "/cores"),
        *("/System/Library", "/nix", "/nix/store", "/snap", "/c", "/mnt/c", "/mnt/c/Windows"),
    }
)
CRITICAL_FILES = (
    *("/etc/passwd", "/etc/shadow", "/etc/group", "/etc/gshadow", "/etc/sudoers", "/etc/fstab"),
    *("/etc/ld.so.preload", "/boot/*", "/etc/pam.d/*", "/vmlinuz*", "/initrd*"),
)
DEVICES = (
    r"/dev/[shv]d[a-z]+\d*",
    r"/dev/xvd[a-z]+\d*",
    r"/dev/nvme\d+(n\d+(p\d+)?)?",
    r"/dev/mmcblk\d+(p\d+|boot\d+)?",
    r"/dev/(loop|md|dm-|zd|nbd|sr|fd|ram)\d+(p\d+)?",
    r"/dev/r?disk\d+(s\d+)*",
    r"/dev/disk/.+",
    r"/dev/mapper/(?!control$).+",
    r"/dev/(mem|kmem|port|nvram)",
    r"/dev/(vg|ubuntu-vg|pve)[^/]*/.+",
    r"/dev/(hd|sd|vd|nvme|mmcblk|disk)[^/]*[*?\[].*",
)
