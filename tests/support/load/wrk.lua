-- wrk's side of load.ts. Arguments: a file of requests, what stands between them, the mark in them, the run, the
-- status wanted, how many different texts take the mark's place (0: no two are the same).
local threads = {}

function setup(thread)
  table.insert(threads, thread)
end

-- The parts of a text between `mark`, with an empty part for each mark; and where these are.
local function split(text, mark)
  local pieces, gaps, from = {}, {}, 1
  while true do
    local first, last = text:find(mark, from, true)
    table.insert(pieces, text:sub(from, (first or 0) - 1))
    if not first then return pieces, gaps end
    table.insert(pieces, "")
    table.insert(gaps, #pieces)
    from = last + 1
  end
end

function init(args)
  local file = assert(io.open(args[1], "rb"))
  local text = file:read("*a")
  file:close()
  run, wanted, distinct = args[4], tonumber(args[5]), tonumber(args[6])
  count, answered, unwanted, templates = 0, 0, 0, {}
  local requests = split(text, args[2])
  for i = 1, #requests, 2 do
    local pieces, gaps = split(requests[i], args[3])
    table.insert(templates, { pieces = pieces, gaps = gaps, fixed = #gaps == 0 and requests[i] })
  end
  math.randomseed(tonumber(run, 16))
end

local function unique()
  if distinct > 0 then return string.format("%016d%s%012d", 0, run, count % distinct) end
  return string.format("%08x%08x%s%012d", math.random(0, 0x7fffffff), math.random(0, 0x7fffffff), run, count)
end

function request()
  count = count + 1
  local template = templates[count % #templates + 1]
  if template.fixed then return template.fixed end
  local text = unique()
  for _, gap in ipairs(template.gaps) do template.pieces[gap] = text end
  return table.concat(template.pieces)
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
