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

  /** A table that a narrow screen shows row by row, each cell with its heading: hence the roles, which styles would take away. */
  function grid(cls, caption, header, rows, hidden) {
    return el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption },
      el('table', { class: cls, role: 'table' }, el('caption', { class: hidden ? 'hidden' : '' }, caption),
        el('thead', { role: 'rowgroup' }, el('tr', { role: 'row' }, ...header)), el('tbody', { role: 'rowgroup' }, ...rows)));
  }

  function head(text, attributes) {
    return el('th', { scope: 'col', role: 'columnheader', ...attributes }, text);
  }

  function row(first, cells) {
    return el('tr', { role: 'row' }, el('th', { scope: 'row', role: 'rowheader' }, ...first), ...cells);
  }

  function table(caption, header, rows, figures) {
    const cls = (i) => (figures && i > 0 ? { class: 'figure' } : {});
    return grid('', caption, header.map((text, i) => head(text, cls(i))), rows.map((cells) => row([cells[0]],
      cells.slice(1).map((cell, i) => el('td', { role: 'cell', 'data-label': header[i + 1], ...cls(i + 1) }, cell)))),
    contents.some((it) => it[1] === caption));
  }

  /** Lets the arrow keys move between the buttons of a table. */
  function arrows(region) {
    region.addEventListener('keydown', (event) => {
      const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
      const cell = event.target.closest('td');
      if (!step || !cell) {
        return;
      }
      const lines = [...cell.closest('tbody').rows];
      let y = lines.indexOf(cell.parentElement) + step[0];
      let x = cell.cellIndex + step[1];
      while (lines[y] && lines[y].cells[x] && !lines[y].cells[x].querySelector('button')) {
        y += step[0];
        x += step[1];
      }
      const button = lines[y] && lines[y].cells[x] && lines[y].cells[x].querySelector('button');
      if (button) {
        event.preventDefault();
        button.focus();
      }
    });
    return region;
  }

  /** Text in which what stands between backticks is code. */
  function prose(text) {
    return text.split('`').map((part, i) => (i % 2 ? el('code', {}, part) : part));
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

  const guide = report.guide;
  if (guide) {
    const trail = el('div', { class: 'guide' });
    const outcome = el('div', { 'aria-live': 'polite' });
    section(announce('decide', 'Do you need a lock, and which one?'), 'Do you need a lock, and which one?',
      el('details', {}, el('summary', {}, 'First: when not to use a lock at all'),
        table('When not to use a lock at all', ['You want', 'Use instead'], guide.instead.map((cells) => cells.map((cell) => cell.replaceAll('`', ''))))),
      trail, outcome);
    const taken = [];
    const ask = (index) => {
      const question = guide.questions[index];
      trail.append(el('fieldset', {}, el('legend', {}, (index + 1) + '. ' + question.title), ...question.answers.map((answer) => el('label', {},
        el('input', { type: 'radio', name: 'question-' + index, onchange: () => choose(index, answer) }), ' ', el('span', {}, ...prose(answer.answer))))));
    };
    const choose = (index, answer) => {
      while (taken.length && taken[taken.length - 1].index >= index) {
        taken.pop();
      }
      taken.push({ index: index, answer: answer });
      const asked = [...trail.children];
      asked.slice(taken.length).forEach((later) => later.remove());
      outcome.replaceChildren(el('h3', {}, answer.next ? 'So far' : 'Your answer'),
        el('ol', {}, ...taken.map((it) => el('li', { value: it.index + 1 }, ...prose(it.answer.then),
          it.answer.evidence ? el('small', {}, ' Evidence: ', ...prose(it.answer.evidence), '.') : null))));
      if (answer.next) {
        ask(answer.next - 1);
      }
    };
    ask(0);
  }

  const faults = report.faults;
  if (faults) {
    const words = ['safe', 'blocked', 'detected', 'fenced', 'violated', 'undecided'];
    section(announce('faults', 'What happens when things go wrong'), 'What happens when things go wrong',
      el('p', {}, 'Two clients in JVMs of their own read, change and write back a value under the lock, on servers that are made to fail. '
        + 'Lease ' + seconds(faults.leaseMillis) + ', seed ' + faults.seed + '. Choose a cell for its evidence.'),
      el('ul', { class: 'legend' }, ...words.map((word) => el('li', {}, el('b', { class: word }, word), ' ' + MEANING[word]))),
      heat('Strategies and locks of other libraries', faults.strategies.filter((it) => !it.specimen)),
      ...(faults.strategies.some((it) => it.peer) ? [el('p', { class: 'soft' }, 'Other libraries declare nothing to us: their cells show what happened, and are not judged.')] : []),
      faults.strategies.some((it) => it.specimen)
        ? el('div', {}, el('h3', {}, '⚠ Specimens: locks that are known to be broken, as a warning'), heat('Specimens', faults.strategies.filter((it) => it.specimen)))
        : null);
  }

  function heat(caption, strategies) {
    const rows = faults.faults.map((fault, i) => ({ fault: fault, cells: strategies.map((it) => it.cells[i]) }))
      .filter((row) => row.cells.some((cell) => cell.outcome !== 'DOES_NOT_APPLY'));
    return arrows(grid('heat', caption + ' by fault', [head('Fault'), ...strategies.map((it) => head(it.label, it.peer ? { class: 'peer' } : {}))],
      rows.map((line) => row([line.fault.id, el('small', {}, line.fault.description)],
        line.cells.map((cell, i) => el('td', { role: 'cell', 'data-label': strategies[i].label }, heatCell(strategies[i], line.fault, cell)))))));
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
    const undeclared = cell.declaration && cell.declaration.kind === 'UNDECLARED' && !strategy.peer;
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
    if (strategy.peer) {
      return '';
    }
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
        el('details', window.matchMedia('(max-width: 45rem)').matches ? { open: '' } : {}, el('summary', {}, 'Every event (' + evidence.timeline.length + ')'),
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

  const examined = report.strategies.filter((it) => it.conformance);
  if (examined.length) {
    const chapters = report.chapters.filter((chapter) => examined.some((it) => it.conformance.rules.some((rule) => rule.chapter === chapter.number)));
    section(announce('contract', 'The contract, chapter by chapter'), 'The contract, chapter by chapter',
      el('p', {}, 'Rules kept / broken / skipped. Locks of other libraries are asked those rules that any java.util.concurrent.locks.Lock can be asked; '
        + 'they never promised them. Choose a cell for its rules.'),
      arrows(grid('heat', 'Rules by chapter', [head('Chapter'), ...examined.map((it) => head(it.name, it.peer ? { class: 'peer' } : {}))],
        chapters.map((chapter) => row([chapter.number + '. ' + chapter.title],
          examined.map((it) => el('td', { role: 'cell', 'data-label': it.name }, chapterCell(it, chapter))))))));
  }

  function chapterCell(strategy, chapter) {
    const rules = strategy.conformance.rules.filter((rule) => rule.chapter === chapter.number);
    if (!rules.length) {
      return el('span', { class: 'plain none', 'aria-label': strategy.name + ', chapter ' + chapter.number + ': not asked' }, '–');
    }
    const of = (outcome) => rules.filter((rule) => rule.outcome === outcome);
    const counts = of('PASSED').length + ' / ' + of('FAILED').length + ' / ' + of('SKIPPED').length;
    const cls = !of('FAILED').length ? (of('PASSED').length ? 'safe' : 'none') : strategy.peer ? 'detected' : 'violated';
    return el('button', {
      type: 'button', class: cls, 'aria-haspopup': 'dialog',
      'aria-label': strategy.name + ', chapter ' + chapter.number + ': ' + of('PASSED').length + ' kept, ' + of('FAILED').length + ' broken, ' + of('SKIPPED').length + ' skipped',
      onclick: () => showRules(strategy, chapter, of),
    }, counts);
  }

  function showRules(strategy, chapter, of) {
    const words = (name) => name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
    const list = (title, rules) => (rules.length ? [el('h3', {}, title), el('ul', {}, ...rules.map((rule) => el('li', {},
      el('b', {}, rule.chapter + '.' + rule.number), ' ' + words(rule.name), rule.message ? el('small', {}, ' ' + rule.message) : null)))] : []);
    const close = el('button', { type: 'button', class: 'close', onclick: () => dialog.close() }, 'Close');
    dialog.replaceChildren(el('header', {}, el('h2', { id: 'cell-title' }, strategy.name + ' · chapter ' + chapter.number), close),
      el('p', {}, chapter.title + '.'),
      ...list('Broken', of('FAILED')), ...list('Skipped', of('SKIPPED')), ...list('Kept', of('PASSED')));
    dialog.showModal();
    close.focus();
  }

  for (const it of [report.peers, report.profiles].filter((part) => part.rows.length)) {
    section(announce(it.title.toLowerCase().replaceAll(/[^a-z]+/g, '-'), it.title), it.title, table(it.title, it.header, it.rows),
      ...it.notes.map((note) => el('p', { class: 'soft' }, note)));
  }
  for (const it of report.tables) {
    section(announce(it.title.toLowerCase().replaceAll(/[^a-z]+/g, '-'), it.title), it.title, table(it.title, it.header, it.rows, true),
      ...it.notes.map((note) => el('p', { class: 'soft' }, note)));
  }

  const COLOURS = {
    light: ['#0b5cad', '#b4540a', '#1a7f37', '#8250df', '#a3195b', '#00707a', '#6b5b00'],
    dark: ['#7cb8f5', '#f0a35e', '#6fd08c', '#c297ff', '#ff8fb8', '#5fd3dc', '#d8c75a'],
  };
  const DASHES = [[], [6, 3], [2, 3], [10, 3, 2, 3]];
  const POINTS = ['circle', 'rect', 'triangle', 'rectRot', 'star', 'cross', 'crossRot', 'dash'];
  const pick = (colours, i) => colours[i % colours.length];
  const style = (colours, i) => ({ borderColor: pick(colours, i), backgroundColor: pick(colours, i), borderDash: DASHES[i % DASHES.length],
    pointStyle: POINTS[i % POINTS.length], pointRadius: 5, tension: 0.1 });
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
            label: it.name, data: it.uncontended.latencies.map((point) => point.millis), ...style(colours, i),
          })),
        },
        options: { maintainAspectRatio: false, scales: { y: { type: 'logarithmic', title: { display: true, text: 'ms' } } }, plugins: { legend: { labels: { usePointStyle: true } } } },
      }));
    const bars = (title, label, rate) => figure(title, label + ': ' + measured.map((it) => it.name + ' ' + whole(rate(it)) + ' a second').join('; '), (colours) => ({
      type: 'bar',
      data: { labels: measured.map((it) => it.name), datasets: [{ label: 'a second', data: measured.map(rate), backgroundColor: measured.map((it, i) => pick(colours, i)) }] },
      options: { indexAxis: 'y', maintainAspectRatio: false, plugins: { legend: { display: false } }, scales: { x: { title: { display: true, text: 'a second' } } } },
    }));
    const charts = [latency, bars('Uncontended pairs of lock and unlock', 'Uncontended pairs', (it) => it.uncontended.pairsPerSecond)];
    for (let i = 0; i < measured[0].contended.length; i++) {
      const setting = measured[0].contended[i];
      const title = setting.clients === 1 ? setting.threadsPerClient + ' threads of one client' : setting.clients + ' clients';
      charts.push(bars('Acquisitions by ' + title, 'Acquisitions by ' + title, (it) => (it.contended[i] ? it.contended[i].acquisitionsPerSecond : 0)));
    }
    const lines = (title, label, drawn, points, xTitle, yTitle) => figure(title, label, (colours) => ({
      type: 'line',
      data: { datasets: drawn.map((it, i) => ({ label: it.name, data: points(it), ...style(colours, report.strategies.indexOf(it)) })) },
      options: { maintainAspectRatio: false, scales: { x: { type: 'linear', title: { display: true, text: xTitle } }, y: { type: 'logarithmic', title: { display: true, text: yTitle } } },
        plugins: { legend: { labels: { usePointStyle: true } } } },
    }));
    const several = measured.filter((it) => it.contended.some((run) => run.clients > 1));
    if (several.length) {
      const of = (it) => it.contended.find((run) => run.clients > 1);
      charts.push(figure('Fairness and throughput of ' + of(several[0]).clients + ' clients: up and to the right is better',
        'Fairness by throughput: ' + several.map((it) => it.name + ' ' + of(it).fairness.toFixed(2) + ' at ' + whole(of(it).acquisitionsPerSecond) + ' a second').join('; '),
        (colours) => ({
          type: 'scatter',
          data: { datasets: several.map((it, i) => ({ label: it.name, data: [{ x: of(it).acquisitionsPerSecond, y: of(it).fairness }], ...style(colours, i), pointRadius: 7 })) },
          options: { maintainAspectRatio: false, scales: { x: { type: 'logarithmic', title: { display: true, text: 'acquisitions a second' } },
            y: { min: 0, max: 1.05, title: { display: true, text: "Jain's index" } } }, plugins: { legend: { labels: { usePointStyle: true } } } },
        })));
    }
    const distant = report.strategies.filter((it) => it.roundTrips.length);
    if (distant.length) {
      charts.push(lines('An uncontended pair over a network: p50 by round trip (logarithmic)',
        'p50 by round trip: ' + distant.map((it) => it.name + ' ' + it.roundTrips.map((at) => at.uncontended.p50Millis.toFixed(1) + ' ms at ' + at.millis + ' ms').join(', ')).join('; '),
        distant, (it) => [...(it.uncontended ? [{ x: 0, y: it.uncontended.p50Millis }] : []), ...it.roundTrips.map((at) => ({ x: at.millis, y: at.uncontended.p50Millis }))],
        'round trip, ms', 'ms'));
    }
    const grown = report.strategies.filter((it) => it.growth.length);
    if (grown.length) {
      charts.push(lines('Acquisitions of one lock by more and more clients (logarithmic)',
        'Acquisitions a second: ' + grown.map((it) => it.name + ' ' + it.growth.map((at) => whole(at.acquisitionsPerSecond) + ' with ' + at.clients).join(', ')).join('; '),
        grown, (it) => it.growth.map((at) => ({ x: at.clients, y: at.acquisitionsPerSecond })), 'clients', 'a second'));
      charts.push(lines('Commands for each acquisition by more and more clients (logarithmic)',
        'Commands for each acquisition: ' + grown.map((it) => it.name + ' ' + it.growth.map((at) => at.commandsPerAcquisition.toFixed(1) + ' with ' + at.clients).join(', ')).join('; '),
        grown, (it) => it.growth.map((at) => ({ x: at.clients, y: at.commandsPerAcquisition })), 'clients', 'commands'));
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
