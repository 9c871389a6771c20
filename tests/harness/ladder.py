"""The RC ladder with R = C = 1, a source at one end and an open other end: its matrices, and its moments as exact integers."""


def moments(n, count):
    """Returns the moments of the last node's voltage at s = 0. G^-1 has the entries min(i, j), so G^-1 m is a double sum of m: first
    the currents through the sections, then the voltage drops."""
    m, result = [1] * n, []
    for k in range(count):
        result.append(m[-1] * (-1) ** k)
        current, currents = 0, [0] * n
        for i in range(n - 1, -1, -1):
            current += m[i]
            currents[i] = current
        voltage = 0
        for i in range(n):
            voltage += currents[i]
            m[i] = voltage
    return result


def write(folder, n):
    """Writes G.mtx, b.mtx, l.mtx (C is the unit matrix). Input: current into the first node; output: voltage of the last node."""
    head = "%%MatrixMarket matrix coordinate real "
    lines = [f"{i} {i} {1 if i == n else 2}" for i in range(1, n + 1)]
    lines += [f"{i + 1} {i} -1" for i in range(1, n)]
    (folder / "G.mtx").write_text(head + f"symmetric\n{n} {n} {len(lines)}\n" + "\n".join(lines) + "\n")
    (folder / "b.mtx").write_text(head + f"general\n{n} 1 1\n1 1 1\n")
    (folder / "l.mtx").write_text(head + f"general\n{n} 1 1\n{n} 1 1\n")
