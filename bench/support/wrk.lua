-- wrk's side of load.ts. Arguments: the request, the mark in it, the run, the status wanted.
local threads = {}

function setup(thread)
  table.insert(threads, thread)
end

function init(args)
  local text, mark = args[1], args[2]
  run, wanted = args[3], tonumber(args[4])
  count, answered, unwanted, pieces, gaps = 0, 0, 0, {}, {}
  local from = 1
  while true do
    local first, last = text:find(mark, from, true)
    table.insert(pieces, text:sub(from, (first or 0) - 1))
    if not first then break end
    table.insert(pieces, "")
    table.insert(gaps, #pieces)
    from = last + 1
  end
  math.randomseed(tonumber(run, 16))
end

function request()
  count = count + 1
  local unique = string.format("%08x%08x%s%012d", math.random(0, 0x7fffffff), math.random(0, 0x7fffffff), run, count)
  for _, gap in ipairs(gaps) do pieces[gap] = unique end
  return table.concat(pieces)
end

function response(status)
  if status == wanted then answered = answered + 1 else unwanted = unwanted + 1 end
end

function done(summary, latency)
  local good, bad = 0, 0
  for _, thread in ipairs(threads) do
    good = good + thread:get("answered")
    bad = bad + thread:get("unwanted")
  end
  local broken = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  io.write(string.format(
    '{"answered":%d,"errors":%d,"perSecond":%.1f,"p50":%.3f,"p99":%.3f,"max":%.3f}\n',
    good, bad + broken, good / summary.duration * 1e6,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, latency.max / 1000))
end
