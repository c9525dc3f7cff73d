# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Print what runs here: python -m hornet_poly1305."""

from hornet_poly1305 import info


def main() -> None:
    found = info()
    print(f"hornet-poly1305 {found['version']}")
    print("CPU features:", " ".join(name for name, usable in found["cpu_features"].items() if usable) or "none")
    for name, primitive in found["primitives"].items():
        print(f"{name}: {primitive['in_use']} for long messages")
        for kernel in primitive["kernels"]:
            of = f"{kernel['lanes']} at once, from {kernel['min_bytes']} bytes on"
            needs = "" if kernel["supported"] else f"; this CPU lacks some of {' '.join(kernel['requires'])}"
            print(f"    {kernel['name']}: {of}{needs}")


if __name__ == "__main__":
    main()
