# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Print what runs here: python -m hornet_poly1305."""

from hornet_poly1305 import info


def main() -> None:
    found = info()
    usable = [name for name, is_usable in found["cpu_features"].items() if is_usable]
    lines = [f"hornet-poly1305 {found['version']}", f"CPU features: {' '.join(usable) or 'none'}"]
    for name, primitive in found["primitives"].items():
        lines.append(f"{name}: {primitive['in_use']} for long messages")
        for kernel in primitive["kernels"]:
            of = f"{kernel['lanes']} at once, from {kernel['min_bytes']} bytes on"
            needs = "" if kernel["supported"] else f"; this CPU lacks some of {' '.join(kernel['requires'])}"
            lines.append(f"    {kernel['name']}: {of}{needs}")
    # At once, so that no reader of a part has left before the rest is written.
    print("\n".join(lines))


if __name__ == "__main__":
    main()
