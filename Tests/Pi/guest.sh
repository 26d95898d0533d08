# The job of the emulated board, which systemd starts after each boot: what an administrator would do, on the console.
# scripts/pi-test reads the lines that begin with PI. The pin GO is its signal to continue.
# shellcheck shell=bash
export SYSTEMD_PAGER='' SYSTEMD_COLORS=0 HOME=/root
readonly GO=5

say() { echo "PI $*"; }
seconds() { cut -d ' ' -f 1 /proc/uptime; }
property() { systemctl show --value --property="$1" eightball; }
wait_for_signal() {
  until [ "$(gpioget gpiochip0 "$GO")" = 1 ]; do sleep 0.5; done
}

# What the kernel and the service did, with the seconds since the kernel's start.
report() {
  dmesg | sed -n 's/^\[ *\([0-9.]*\)\] \(.*hci0.*\)/PI kernel \1 \2/p'
  journalctl --no-pager --unit=eightball --boot --output=short-monotonic |
    sed -n 's/^\[ *\([0-9.]*\)\] [^ ]* \(.*\)/PI journal \1 \2/p'
  say "restarts $(property NRestarts)"
}

say "kernel-handler $(awk '$3 == "bcm2835_gpio_irq_handle_bank" { print $1 }' /proc/kallsyms)"
if [ ! -e /root/installed ]; then
  say "machine $(tr -d '\0' </sys/firmware/devicetree/base/model), $(uname -rm), $(dpkg --print-architecture)"
  for package in /root/eightballd_*.deb; do
    [[ "$package" != *_armhf.deb ]] || dpkg --add-architecture armhf
    # The settings are there already.
    dpkg --force-confold -i "$package"
    say "installed $? at $(seconds)"
  done
  touch /root/installed
fi
until [ "$(property StatusText)" = Advertising. ]; do
  [ "$(systemctl is-failed eightball)" != failed ] || break
  sleep 0.5
done
say "status $(property ActiveState), $(property StatusText) at $(seconds)"
gpioinfo | sed -n 's/.*line *\([0-9]*: .*"eightball.*\)/PI line \1/p'
sed -n 's/.*pinctrl-bcm2835 *\([0-9]* .*\)/PI interrupt \1/p' /proc/interrupts
grep -E '^(VmHWM|CapEff|Seccomp):' "/proc/$(property MainPID)/status" | sed 's/^/PI process /'
say "ready at $(seconds)"
wait_for_signal
report
if [ ! -e /root/restarted ]; then
  touch /root/restarted
  say "restarting at $(seconds)"
  systemctl reboot
else
  before=$(seconds)
  systemctl stop eightball
  say "stopped $(property Result) in $(awk -v a="$before" -v b="$(seconds)" 'BEGIN { print b - a }') s"
  say "lines-held $(gpioinfo | grep -c '"eightball')"
  sync
  systemctl poweroff
fi
