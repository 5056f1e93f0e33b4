// The calculator of a model's page, live; without scripts its button asks the server for the same.
(() => {
  const form = document.querySelector('[data-calculator]');
  if (!form) return;
  const prices = JSON.parse(form.dataset.calculator);
  const number = (name) => Math.max(0, Number(form.elements[name]?.value.replaceAll(/[,\s]/g, '')) || 0);
  const grouped = (text) => text.replaceAll(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ',');
  const amount = (value) => {
    if (value === 0 || value >= 1) return `$${grouped(value.toFixed(2))}`;
    return `$${Number(value.toPrecision(4)).toFixed(8).replace(/0+$/, '').padEnd(4, '0')}`;
  };
  const write = (name, text) => {
    for (const place of document.querySelectorAll(`[data-result=${name}]`)) place.textContent = text;
  };

  function costOfCall(model) {
    if (model.price !== undefined) return model.price;
    const input = number('input');
    const cached = (input * Math.min(100, number('cached'))) / 100;
    return ((input - cached) * model.input + cached * model.cached + number('output') * model.output) / 1e6;
  }

  function compute() {
    const [own, ...others] = prices;
    const call = costOfCall(own);
    const calls = number('calls');
    write('call', amount(call));
    write('day', amount(call * calls));
    write('month', amount(call * calls * 30));
    if (own.price === undefined) {
      const input = number('input');
      const cached = Math.round((input * Math.min(100, number('cached'))) / 100);
      write('fresh', grouped(String(input - cached)));
      write('reads', grouped(String(cached)));
      write('writes', grouped(String(number('output'))));
      const parts = {
        fresh: (input - cached) * own.input,
        reads: cached * own.cached,
        writes: number('output') * own.output,
      };
      const sum = parts.fresh + parts.reads + parts.writes || 1;
      for (const [name, part] of Object.entries(parts))
        document.querySelector(`[data-part=${name}]`).setAttribute('width', String((part / sum) * 100));
      const bars = ['fresh', 'reads', 'writes'];
      let x = 0;
      for (const name of bars) {
        document.querySelector(`[data-part=${name}]`).setAttribute('x', String(x));
        x += (parts[name] / sum) * 100;
      }
    }
    for (const [index, model] of [own, ...others].entries()) {
      const place = document.querySelector(`[data-month="${index}"]`);
      if (place) place.textContent = amount(costOfCall(model) * calls * 30);
    }
  }

  form.addEventListener('input', compute);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    compute();
  });
})();
