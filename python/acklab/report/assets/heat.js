// Heat maps: one measure at a time, the cell under the pointer or the arrow keys, zoom by dragging.
(() => {
  const { make, redraws, ink, tools, resized, drawings } = Page;
  const digits = (v) => String(Number(v.toPrecision(4)));
  const light = (hex) => {
    const [r, g, b] = [1, 3, 5].map((i) => Number.parseInt(hex.slice(i, i + 2), 16));
    return 0.3 * r + 0.59 * g + 0.11 * b > 140;
  };

  drawings.heat = (chart, spec) => {
    const place = chart.querySelector(".plot");
    const names = Object.keys(spec.panels[0].measures);
    const whole = { left: 0, right: spec.xs.length - 1, top: 0, bottom: spec.ys.length - 1 };
    let measure = names[0];
    let view = whole;
    let bounds = [0, 1];
    // Rows from the bottom up, as on a plot.
    const rows = () => Array.from({ length: view.bottom - view.top + 1 }, (_, i) => view.bottom - i);
    const columns = () => Array.from({ length: view.right - view.left + 1 }, (_, i) => view.left + i);

    const shade = (v) => {
      const [low, high] = bounds;
      const share = high > low ? (v - low) / (high - low) : 0.5;
      return spec.scale[Math.min(spec.scale.length - 1, Math.floor(share * spec.scale.length))];
    };
    const found = (panel, i, j) => {
      const { mean, half } = panel.measures[measure];
      const at = j * spec.xs.length + i;
      return [mean[at], half[at]];
    };
    const say = (panel, i, j) => {
      const [mean, half] = found(panel, i, j);
      const where = [panel.name, `${spec.x} = ${spec.xs[i]}`, `${spec.y} = ${spec.ys[j]}`];
      const value = mean === null ? "no value"
        : digits(mean) + (half === null ? "" : ` ± ${digits(half)}`);
      readout.textContent = `${where.filter(Boolean).join(" · ")}: ${value}`;
    };

    const painters = [];
    const paintAll = () => {
      const all = spec.panels.flatMap((p) => p.measures[measure].mean).filter((v) => v !== null);
      bounds = [all.reduce((a, b) => Math.min(a, b), Infinity),
        all.reduce((a, b) => Math.max(a, b), -Infinity)];
      shown.textContent = measure;
      low.textContent = all.length ? digits(bounds[0]) : "";
      high.textContent = all.length ? digits(bounds[1]) : "";
      painters.forEach((paint) => paint());
    };
    const show = (next) => { view = next; paintAll(); };

    const panelOf = (panel) => {
      const box = make("div", { className: "panel" });
      if (panel.name) box.append(make("h4", { textContent: panel.name }));
      const canvas = make("canvas", { tabIndex: 0 });
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", `Heat map ${panel.name}; arrow keys read its cells`);
      box.append(canvas);
      const ctx = canvas.getContext("2d");
      let at = null;
      let dragged = null;
      let frame = { left: 0, top: 0, w: 1, h: 1 };
      const paint = () => {
        const width = box.clientWidth;
        if (!width) return;
        const [xs, ys] = [columns(), rows()];
        ctx.font = "12px system-ui";
        const wide = (labels, steps) => Math.max(...steps.map((i) => ctx.measureText(labels[i]).width));
        const left = Math.min(wide(spec.ys, ys) + 12, width / 3) + 18;
        const w = (width - left - 4) / xs.length;
        const h = Math.min(34, Math.max(420 / ys.length, 5));
        const tilted = wide(spec.xs, xs) + 6 > w;
        const below = tilted ? Math.min(wide(spec.xs, xs) * 0.75 + 18, 110) : 20;
        const height = h * ys.length + below + 22;
        canvas.width = width * devicePixelRatio;
        canvas.height = height * devicePixelRatio;
        canvas.style.height = `${height}px`;
        ctx.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
        ctx.clearRect(0, 0, width, height);
        frame = { left, top: 2, w, h };
        ctx.font = "12px system-ui";
        ctx.textBaseline = "middle";
        const numbers = w > 34 && h > 15;
        ys.forEach((j, y) => xs.forEach((i, x) => {
          const [v] = found(panel, i, j);
          if (v === null) return;
          const fill = shade(v);
          ctx.fillStyle = fill;
          ctx.fillRect(left + x * w, 2 + y * h, Math.ceil(w), Math.ceil(h));
          if (!numbers) return;
          ctx.fillStyle = light(fill) ? "#000" : "#fff";
          ctx.textAlign = "center";
          ctx.fillText(Number(v.toPrecision(3)), left + (x + 0.5) * w, 2 + (y + 0.5) * h, w - 2);
        }));
        ctx.fillStyle = ink("ink");
        ctx.textAlign = "right";
        const everyY = Math.ceil(14 / h);
        ys.forEach((j, y) => y % everyY === 0
          && ctx.fillText(spec.ys[j], left - 6, 2 + (y + 0.5) * h, left - 24));
        const everyX = tilted ? Math.ceil(14 / w) : 1;
        xs.forEach((i, x) => {
          if (x % everyX) return;
          ctx.save();
          ctx.translate(left + (x + 0.5) * w, 2 + ys.length * h + (tilted ? 6 : 10));
          if (tilted) ctx.rotate(-0.8);
          ctx.textAlign = tilted ? "right" : "center";
          ctx.fillText(spec.xs[i], 0, 0, tilted ? 125 : w);
          ctx.restore();
        });
        ctx.textAlign = "center";
        ctx.fillText(spec.x, left + (w * xs.length) / 2, height - 9);
        ctx.save();
        ctx.translate(9, 2 + (ys.length * h) / 2);
        ctx.rotate(-Math.PI / 2);
        ctx.fillText(spec.y, 0, 0);
        ctx.restore();
        const outline = (a, b) => {
          const [x0, x1] = [Math.min(a[0], b[0]), Math.max(a[0], b[0])];
          const [y0, y1] = [Math.min(a[1], b[1]), Math.max(a[1], b[1])];
          ctx.strokeStyle = ink("link");
          ctx.lineWidth = 2.5;
          ctx.strokeRect(left + x0 * w, 2 + y0 * h, (x1 - x0 + 1) * w, (y1 - y0 + 1) * h);
        };
        if (at) outline(dragged ?? at, at);
      };
      const spot = (event) => {
        const x = Math.floor((event.offsetX - frame.left) / frame.w);
        const y = Math.floor((event.offsetY - frame.top) / frame.h);
        const inside = x >= 0 && y >= 0 && x < columns().length && y < rows().length;
        return inside ? [x, y] : null;
      };
      const move = (next) => {
        at = next;
        if (at) say(panel, columns()[at[0]], rows()[at[1]]);
        paint();
      };
      canvas.onpointermove = (event) => move(spot(event) ?? (dragged ? at : null));
      canvas.onpointerleave = () => { dragged = null; move(null); };
      canvas.onpointerdown = (event) => { dragged = spot(event); move(dragged); };
      canvas.onpointerup = () => {
        const [a, b] = [dragged, at];
        dragged = null;
        if (!a || !b || (a[0] === b[0] && a[1] === b[1])) return;
        const [xs, ys] = [columns(), rows()];
        const [x, y] = [[xs[a[0]], xs[b[0]]], [ys[a[1]], ys[b[1]]]];
        at = null;
        show({ left: Math.min(...x), right: Math.max(...x), top: Math.min(...y), bottom: Math.max(...y) });
      };
      canvas.onkeydown = (event) => {
        const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
        const [dx, dy] = step[event.key] ?? [0, 0];
        if (!dx && !dy) return;
        event.preventDefault();
        const [x, y] = at ?? [-dx, -dy];
        move([Math.min(Math.max(x + dx, 0), columns().length - 1),
          Math.min(Math.max(y + dy, 0), rows().length - 1)]);
      };
      painters.push(paint);
      return box;
    };

    const bar = tools(chart, [["all", "Show everything", () => show(whole)]]);
    if (names.length > 1) {
      const choice = make("select", { onchange: () => { measure = choice.value; paintAll(); } });
      choice.setAttribute("aria-label", "Measure");
      choice.append(...names.map((name) => make("option", { value: name, textContent: name })));
      bar.prepend(choice);
    }
    const scale = make("div", { className: "scale" });
    const [shown, low, high] = [make("b"), make("span"), make("span")];
    const colours = make("i");
    colours.style.background = `linear-gradient(90deg, ${spec.scale.join(",")})`;
    scale.append(shown, low, colours, high);
    const readout = make("output", { textContent: "Point at a cell to read it, drag to zoom." });
    const panels = make("div", { className: "panels" });
    panels.append(...spec.panels.map(panelOf));
    place.replaceChildren(scale, readout, panels);
    paintAll();
    redraws.push(paintAll);
    resized(place, paintAll);
  };
})();
