// SPDX-License-Identifier: Apache-2.0
(function () {
  'use strict';
  const report = JSON.parse(document.getElementById('report-data').textContent);
  const main = document.getElementById('main');
  const dialog = document.getElementById('cell');
  const MEANING = report.words;
  const contents = [];

  /** Announces a section whose parts are made next. */
  function announce(id, title) {
    contents.push([id, title]);
    return id;
  }

  function el(tag, attributes, ...children) {
    const element = tag === 'svg' || el.svg ? document.createElementNS('http://www.w3.org/2000/svg', tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (name.startsWith('on')) {
        element.addEventListener(name.slice(2), value);
      } else {
        element.setAttribute(name, value);
      }
    }
    element.append(...children.filter((child) => child !== null && child !== undefined).map((child) => child.nodeType ? child : String(child)));
    return element;
  }

  function svg(tag, attributes, ...children) {
    el.svg = true;
    try {
      return el(tag, attributes, ...children);
    } finally {
      el.svg = false;
    }
  }

  function section(id, title, ...children) {
    main.append(el('section', { id: id, 'aria-labelledby': id + '-title' }, el('h2', { id: id + '-title' }, title), ...children));
  }

  function table(caption, header, rows, figures) {
    const cls = (i) => (figures && i > 0 ? { class: 'figure' } : {});
    return el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption },
      el('table', {}, el('caption', { class: contents.some((it) => it[1] === caption) ? 'hidden' : '' }, caption),
        el('thead', {}, el('tr', {}, ...header.map((text, i) => el('th', { scope: 'col', ...cls(i) }, text)))),
        el('tbody', {}, ...rows.map((row) => el('tr', {}, ...row.map((cell, i) => i === 0
          ? el('th', { scope: 'row' }, cell) : el('td', cls(i), cell)))))));
  }

  const seconds = (millis) => (Math.abs(millis) >= 1000 ? (millis / 1000).toFixed(1) + ' s' : Math.round(millis) + ' ms');
  const whole = (number) => Math.round(number).toLocaleString('en');

  main.append(el('h1', {}, report.title), el('p', { class: 'soft' }, report.setting),
    el('p', { class: 'soft' }, 'Made by ', el('code', {}, report.command), '. ' + report.caveat));
  const nav = el('nav', { 'aria-label': 'Contents' });
  main.append(nav);
  if (report.problems.length) {
    main.append(el('ul', { class: 'problems' }, ...report.problems.map((problem) => el('li', {}, problem))));
  }
  (report.omitted || []).forEach((text) => main.append(el('p', {}, text)));

  if (report.recommendations.length) {
    section(announce('recommendation', 'Which one to take'), 'Which one to take', table('Which one to take', ['Need', 'Take', 'Because'],
      report.recommendations.map((it) => [it.need, it.strategy || 'none of them', it.reason])));
  }

  const faults = report.faults;
  if (faults) {
    const words = ['safe', 'blocked', 'detected', 'fenced', 'violated', 'undecided'];
    section(announce('faults', 'What happens when things go wrong'), 'What happens when things go wrong',
      el('p', {}, 'Two clients in JVMs of their own read, change and write back a value under the lock, on servers that are made to fail. '
        + 'Lease ' + seconds(faults.leaseMillis) + ', seed ' + faults.seed + '. Choose a cell for its evidence.'),
      el('ul', { class: 'legend' }, ...words.map((word) => el('li', {}, el('b', { class: word }, word), ' ' + MEANING[word]))),
      heat('Strategies', faults.strategies.filter((it) => !it.specimen)),
      faults.strategies.some((it) => it.specimen)
        ? el('div', {}, el('h3', {}, '⚠ Specimens: locks that are known to be broken, as a warning'), heat('Specimens', faults.strategies.filter((it) => it.specimen)))
        : null);
  }

  function heat(caption, strategies) {
    const rows = faults.faults.map((fault, i) => ({ fault: fault, cells: strategies.map((it) => it.cells[i]) }))
      .filter((row) => row.cells.some((cell) => cell.outcome !== 'DOES_NOT_APPLY'));
    return el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption + ' by fault' },
      el('table', { class: 'heat' },
        el('caption', {}, caption + ' by fault'),
        el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Fault'), ...strategies.map((it) => el('th', { scope: 'col' }, it.label)))),
        el('tbody', {}, ...rows.map((row) => el('tr', {},
          el('th', { scope: 'row' }, row.fault.id, el('small', {}, row.fault.description)),
          ...row.cells.map((cell, i) => el('td', {}, heatCell(strategies[i], row.fault, cell))))))));
  }

  function word(cell) {
    if (!cell.verdict) {
      return { DOES_NOT_APPLY: '–', NOT_RUN: 'not run', FAILED: 'failed' }[cell.outcome];
    }
    if (cell.verdict !== 'BLOCKED') {
      return cell.verdict.toLowerCase();
    }
    return 'blocked ' + (cell.evidence.unserved ? '> ' : '') + seconds(cell.evidence.nobodyMillis);
  }

  function heatCell(strategy, fault, cell) {
    const undeclared = cell.declaration && cell.declaration.kind === 'UNDECLARED';
    const known = cell.declaration && cell.declaration.kind === 'KNOWN_DEFECT';
    const name = strategy.label + ', ' + fault.id + ': ' + word(cell) + (undeclared ? ', not declared' : known ? ', a known defect' : '');
    if (cell.outcome === 'DOES_NOT_APPLY') {
      return el('span', { class: 'plain none', title: cell.reason, 'aria-label': name }, word(cell));
    }
    const cls = (cell.verdict ? cell.verdict.toLowerCase() : cell.outcome === 'FAILED' ? 'failed' : 'none') + (undeclared && !strategy.specimen ? ' undeclared' : '');
    return el('button', { type: 'button', class: cls, 'aria-haspopup': 'dialog', 'aria-label': name, onclick: () => show(strategy, fault, cell) },
      word(cell) + (undeclared && !strategy.specimen ? ' !' : known ? ' (known)' : ''));
  }

  function declared(cell, strategy) {
    switch (cell.declaration.kind) {
      case 'ASSUMED': return 'Declared: the profile assumes that ' + report.assumptionSummaries[cell.declaration.assumption] + '.';
      case 'OUTAGE': return 'Excused: the fault takes away what every lock needs, and everybody was served when it was over.';
      case 'KNOWN_DEFECT': return 'A known defect, which is to be mended.';
      case 'ANY_LEASE': return 'Declared: no lease keeps out a holder that stands still between its look and its write.';
      case 'UNDECLARED': return strategy.specimen ? 'A lock like this is not to be used.' : 'Neither declared by the profile nor excused by the fault: this is a defect.';
      default: return '';
    }
  }

  function show(strategy, fault, cell) {
    const evidence = cell.evidence;
    const close = el('button', { type: 'button', class: 'close', onclick: () => dialog.close() }, 'Close');
    dialog.replaceChildren(
      el('header', {}, el('h2', { id: 'cell-title' }, strategy.label + ' · ' + fault.id), close),
      el('p', {}, fault.description.charAt(0).toUpperCase() + fault.description.slice(1) + '.'),
      el('p', {}, el('span', { class: 'badge ' + (cell.verdict ? cell.verdict.toLowerCase() : 'none') }, word(cell)), ' ',
        cell.verdict ? MEANING[cell.verdict.toLowerCase()] + '. ' + declared(cell, strategy) : (cell.outcome === 'NOT_RUN' ? 'It ' : '') + cell.reason + '.'));
    if (evidence) {
      dialog.append(el('h3', {}, 'Timeline'), timeline(evidence), el('h3', {}, 'Evidence'), figures(evidence),
        el('details', {}, el('summary', {}, 'Every event (' + evidence.timeline.length + ')'),
          table('Events, in milliseconds from the fault', ['ms', 'Who', 'What', 'Token', 'More'],
            evidence.timeline.map((it) => [it.millis, it.who, it.what.toLowerCase().replaceAll('_', ' '), it.token || '',
              it.writes ? it.writes.unfenced.toLowerCase() + '; with tokens: ' + it.writes.fenced.toLowerCase() : it.detail || '']))));
    }
    dialog.showModal();
    close.focus();
  }

  function figures(evidence) {
    const at = (millis) => (millis === undefined ? '–' : seconds(millis) + ' after the fault');
    return table('What was seen', ['Question', 'Answer'], [
      ['Two holders at once, at the longest', seconds(evidence.twoHoldersMillis)],
      ['Stale writes that the plain store accepted', evidence.staleWrites],
      ['Stale writes that the store with tokens accepted', evidence.staleFencedWrites],
      ['Writes that the store with tokens refused', evidence.refusedWrites],
      ['The lock was in other hands', at(evidence.goneMillis)],
      ['The holder was told of the loss', at(evidence.toldMillis)],
      ['The next holder had the lock', at(evidence.nextHolderMillis)],
      ['Nobody had it though somebody asked, at the longest', seconds(evidence.nobodyMillis) + (evidence.unserved ? ', to the end' : '')],
      ['Keys left behind', evidence.leftBehind.length ? evidence.leftBehind.join(', ') : 'none'],
      ['The checker on the history', evidence.history.toLowerCase() + (evidence.finding ? ': ' + evidence.finding : '')],
    ]);
  }

  /** Distances grow with the logarithm of the time between, so that milliseconds and seconds can be seen together. */
  function timeline(evidence) {
    const events = evidence.timeline;
    const left = 60;
    const top = 34;
    const lane = { holder: top + 16, rival: top + 66 };
    const places = [];
    let x = left + 12;
    events.forEach((event, i) => {
      x += i === 0 ? 0 : 14 + 16 * Math.log10(1 + Math.max(0, event.millis - events[i - 1].millis));
      places.push(x);
    });
    const width = x + 30;
    const height = top + 130;
    const parts = [];
    for (const who of ['holder', 'rival']) {
      parts.push(svg('text', { x: 4, y: lane[who] + 4 }, who), svg('line', { class: 'lane', x1: left, x2: width, y1: lane[who], y2: lane[who] }));
      let granted = null;
      let asked = null;
      events.forEach((event, i) => {
        if (event.who !== who) {
          return;
        }
        const ends = ['TOLD', 'LOOKED_LOST', 'NOT_RELEASED', 'RELEASING', 'KILLED'].includes(event.what);
        if ((event.what === 'GRANTED' || event.what === 'KILLED') && asked !== null) {
          parts.push(svg('line', { class: 'wait', x1: asked, x2: places[i], y1: lane[who], y2: lane[who] }));
          asked = null;
        }
        if (ends && granted !== null) {
          parts.push(svg('rect', { class: 'hold', x: granted, y: lane[who] - 8, width: Math.max(2, places[i] - granted), height: 16, rx: 3 }));
          granted = null;
        }
        granted = event.what === 'GRANTED' ? places[i] : granted;
        asked = event.what === 'ASKED' ? places[i] : asked;
      });
      if (granted !== null) {
        parts.push(svg('rect', { class: 'hold', x: granted, y: lane[who] - 8, width: width - granted, height: 16, rx: 3 }));
      }
      if (asked !== null) {
        parts.push(svg('line', { class: 'wait', x1: asked, x2: width, y1: lane[who], y2: lane[who] }));
      }
    }
    let labelled = -100;
    events.forEach((event, i) => {
      const title = svg('title', {}, event.millis + ' ms, ' + event.who + ' ' + event.what.toLowerCase().replaceAll('_', ' '));
      if (event.who === 'lab') {
        parts.push(svg('line', { class: event.what === 'STRUCK' ? 'struck' : 'healed', x1: places[i], x2: places[i], y1: 18, y2: lane.rival + 22 }, title),
          svg('text', { x: places[i] + 3, y: 14 }, event.what === 'STRUCK' ? 'fault' : 'mended'));
      } else if (event.what === 'TOLD' || event.what === 'LOOKED_LOST') {
        parts.push(svg('path', { class: 'mark', d: 'M' + places[i] + ' ' + (lane[event.who] - 10) + 'l5 -8h-10z' }, title),
          svg('text', { x: places[i] + 6, y: lane[event.who] - 11 }, 'told'));
      } else if (event.what === 'WROTE') {
        const good = event.writes.unfenced === 'ACCEPTED';
        parts.push(svg('circle', { class: 'mark ' + (good ? 'good' : 'bad'), cx: places[i], cy: lane[event.who], r: 6 }, title),
          svg('text', { x: places[i] - 4, y: lane[event.who] + 21 }, good ? 'write' : 'stale'));
      } else if (event.what === 'KILLED') {
        parts.push(svg('text', { class: 'bad', x: places[i] - 3, y: lane[event.who] - 10 }, '✕ killed'));
      }
      if (places[i] - labelled > 44) {
        labelled = places[i];
        parts.push(svg('text', { class: 'quiet', x: places[i] - 8, y: height - 8 }, seconds(event.millis)));
      }
    });
    return el('div', { class: 'scroll' }, svg('svg', { viewBox: '0 0 ' + width + ' ' + height, style: 'max-width: ' + Math.round(width * 1.5) + 'px', role: 'img',
      'aria-label': 'Timeline: bars are holds, dashes are waiting; every event is in the table below.' }, ...parts),
      el('p', { class: 'soft' }, 'Bars: who was granted the lock and not told otherwise. Dashes: waiting. Distances are logarithmic.'));
  }

  const profile = report.profiles;
  section(announce('profiles', profile.title), profile.title, table(profile.title, profile.header, profile.rows));
  for (const it of report.tables) {
    section(announce(it.title.toLowerCase().replaceAll(/[^a-z]+/g, '-'), it.title), it.title, table(it.title, it.header, it.rows, true),
      ...it.notes.map((note) => el('p', { class: 'soft' }, note)));
  }

  const COLOURS = { light: ['#0b5cad', '#b4540a', '#1a7f37', '#8250df'], dark: ['#7cb8f5', '#f0a35e', '#6fd08c', '#c297ff'] };
  const DASHES = [[], [6, 3], [2, 3], [10, 3, 2, 3]];
  const POINTS = ['circle', 'rect', 'triangle', 'rectRot'];
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const drawn = [];

  function draw(canvas, config) {
    const chart = { canvas: canvas, config: config, instance: null };
    drawn.push(chart);
    redraw(chart, dark.matches);
  }

  function redraw(chart, isDark) {
    if (chart.instance) {
      chart.instance.destroy();
    }
    const ink = isDark ? '#e6eaef' : '#1b1f24';
    const line = isDark ? '#343c46' : '#d0d7de';
    Chart.defaults.color = ink;
    Chart.defaults.borderColor = line;
    Chart.defaults.animation = false;
    chart.instance = new Chart(chart.canvas, chart.config(isDark ? COLOURS.dark : COLOURS.light));
  }

  function figure(caption, label, config) {
    const canvas = el('canvas', { role: 'img', 'aria-label': label });
    const part = el('figure', {}, el('figcaption', {}, caption), el('div', { class: 'canvas' }, canvas));
    part.draw = () => draw(canvas, config);
    return part;
  }

  const measured = report.strategies.filter((it) => it.uncontended);
  if (measured.length) {
    const latency = figure('Uncontended lock and unlock: latency by percentile (logarithmic)',
      'Latency by percentile: ' + measured.map((it) => it.name + ' p50 ' + it.uncontended.p50Millis.toFixed(2) + ' ms, p99 ' + it.uncontended.p99Millis.toFixed(2) + ' ms').join('; '),
      (colours) => ({
        type: 'line',
        data: {
          labels: measured[0].uncontended.latencies.map((it) => 'p' + it.percentile),
          datasets: measured.map((it, i) => ({
            label: it.name, data: it.uncontended.latencies.map((point) => point.millis), borderColor: colours[i % 4], backgroundColor: colours[i % 4],
            borderDash: DASHES[i % 4], pointStyle: POINTS[i % 4], pointRadius: 4, tension: 0.1,
          })),
        },
        options: { maintainAspectRatio: false, scales: { y: { type: 'logarithmic', title: { display: true, text: 'ms' } } }, plugins: { legend: { labels: { usePointStyle: true } } } },
      }));
    const bars = (title, label, pick) => figure(title, label + ': ' + measured.map((it) => it.name + ' ' + whole(pick(it)) + ' a second').join('; '), (colours) => ({
      type: 'bar',
      data: { labels: measured.map((it) => it.name), datasets: [{ label: 'a second', data: measured.map(pick), backgroundColor: measured.map((it, i) => colours[i % 4]) }] },
      options: { indexAxis: 'y', maintainAspectRatio: false, plugins: { legend: { display: false } }, scales: { x: { title: { display: true, text: 'a second' } } } },
    }));
    const charts = [latency, bars('Uncontended pairs of lock and unlock', 'Uncontended pairs', (it) => it.uncontended.pairsPerSecond)];
    for (let i = 0; i < measured[0].contended.length; i++) {
      const setting = measured[0].contended[i];
      const title = setting.clients === 1 ? setting.threadsPerClient + ' threads of one client' : setting.clients + ' clients';
      charts.push(bars('Acquisitions by ' + title, 'Acquisitions by ' + title, (it) => (it.contended[i] ? it.contended[i].acquisitionsPerSecond : 0)));
    }
    section(announce('charts', 'Speed as charts'), 'Speed as charts', el('div', { class: 'charts' }, ...charts));
    charts.forEach((chart) => chart.draw());
  }
  const redrawAll = (isDark) => drawn.forEach((chart) => redraw(chart, isDark));
  dark.addEventListener('change', () => redrawAll(dark.matches));
  window.addEventListener('beforeprint', () => redrawAll(false));
  window.addEventListener('afterprint', () => redrawAll(dark.matches));

  nav.append(el('ul', {}, ...contents.map(([id, title]) => el('li', {}, el('a', { href: '#' + id }, title)))));
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) {
      dialog.close();
    }
  });
}());
