-- Wireshark's and tshark's dissector for TACK as acklab writes it.
--
--   tshark -X lua_script:tack.lua -r packets.pcapng -Y tack
--
-- The tables at the top are made of acklab's own description of the format; what is below reads
-- packets by them. Lengths of the connection id and of the tag, and the port, are preferences.

@TABLES@
local tack = Proto("tack", "TACK")
tack.prefs.port = Pref.uint("UDP port", 5001, "Port of one of the ends; acklab's captures have 5001")
tack.prefs.id_len = Pref.uint("Length of connection ids", 8, "In bytes; both ends know it")
tack.prefs.tag_len = Pref.uint("Length of the AEAD's tag", 16, "In bytes; both ends know it")

local BYTES = { byte = 1, word = 4 }
local f, known = {}, {}

local function add(name, make, ...)
  if not f[name] then
    f[name] = make("tack." .. name, ...)
    known[#known + 1] = f[name]
  end
end

local names = {}
for kind, layout in pairs(CONTROL) do names[kind] = layout.name end
for bits = 0, 7 do names[DATA.kind + bits] = DATA.name end

add("version", ProtoField.uint8, "Version", base.DEC, nil, 0xe0)
add("space", ProtoField.uint8, "Space", base.DEC, { [0] = "data", [1] = "feedback" }, 0x10)
add("id", ProtoField.bytes, "Connection id")
add("number_wire", ProtoField.uint64, "Number on the wire", base.DEC)
add("number", ProtoField.uint64, "Number", base.DEC)
add("pkt_seq", ProtoField.uint64, "PKT.SEQ", base.DEC)
add("frame", ProtoField.uint8, "Frame", base.HEX, names)
add("offset", ProtoField.uint64, "Stream offset of the payload", base.DEC)
add("payload", ProtoField.uint32, "Payload (bytes)", base.DEC)
add("payload_data", ProtoField.bytes, "Payload")
add("tag", ProtoField.bytes, "AEAD tag")

local function declare(items)
  for _, item in ipairs(items) do
    local what = item[1]
    if what == "byte" then
      add(item[2], ProtoField.uint8, item[3], base.DEC)
    elseif what == "word" then
      add(item[2], ProtoField.uint32, item[3], base.DEC)
    elseif what == "varint" then
      add(item[2], ProtoField.uint64, item[3], base.DEC)
    elseif what == "choice" then
      add(item[2], ProtoField.uint8, item[3], base.DEC, item[4])
    elseif what == "flags" then
      for _, flag in ipairs(item[2]) do
        add(flag[2], ProtoField.bool, flag[3], 8, nil, flag[1])
      end
    elseif what == "blocks" then
      add(item[2], ProtoField.uint32, item[3] .. " (blocks)", base.DEC)
      add(item[2] .. ".start", ProtoField.uint64, "First offset", base.DEC)
      add(item[2] .. ".end", ProtoField.uint64, "Offset behind the last", base.DEC)
    else
      declare(item[#item])
    end
  end
end

for _, layout in pairs(CONTROL) do declare(layout.items) end
declare(DATA.items)
declare({ { "flags", DATA_FLAGS } })
tack.fields = known

local wrong = ProtoExpert.new("tack.wrong", "Not a frame of TACK", expert.group.MALFORMED, expert.severity.ERROR)
tack.experts = { wrong }

-- Where a reader stands. `take` raises an error at the end of the frames.
local Reader = {}
Reader.__index = Reader

function Reader:take(n)
  if self.at + n > self.limit then error("frames end too early", 0) end
  local range = self.tvb:range(self.at, n)
  self.at = self.at + n
  return range
end

-- RFC 9000 section 16: the two top bits say how many bytes.
function Reader:varint()
  local from = self.at
  local more = 2 ^ math.floor(self:take(1):uint() / 64)
  self.at = from
  local range = self:take(more)
  local value = range:uint64():band(UInt64(0xffffffff, 0x3fffffff))
  if more < 8 then value = value:band(UInt64(2 ^ (8 * more - 2) - 1)) end
  return range, value
end

function Reader:number(kind)
  if kind == "varint" then return self:varint() end
  local range = self:take(BYTES[kind])
  return range, range:uint()
end

function Reader:blocks(tree, item)
  local name, down = item[2], item[4]
  local from = self.at
  local _, count = self:varint()
  local list = tree:add(f[name], self.tvb:range(from, self.at - from), count:tonumber())
  local edge = self.values.cumulative
  for i = 1, count:tonumber() do
    local began = self.at
    local _, distance = self:varint()
    local _, length = self:varint()
    local first
    if not down then
      first = edge + distance
    elseif i == 1 then
      first = edge + distance - length
    else
      first = edge - distance - length
    end
    edge = down and first or first + length
    local range = self.tvb:range(began, self.at - began)
    list:add(f[name .. ".start"], range, first)
    list:add(f[name .. ".end"], range, first + length)
  end
end

function Reader:items(tree, items)
  for _, item in ipairs(items) do
    local what = item[1]
    if what == "flags" then
      local range = self:take(1)
      self.flags = range:uint()
      for _, flag in ipairs(item[2]) do tree:add(f[flag[2]], range) end
    elseif what == "choice" then
      local range = self:take(1)
      self.choice = range:uint()
      tree:add(f[item[2]], range, self.choice)
    elseif what == "if_flag" then
      if bit32.band(self.flags, item[2]) ~= 0 then self:items(tree, item[3]) end
    elseif what == "if_choice" then
      if self.choice == item[2] then self:items(tree, item[3]) end
    elseif what == "group" then
      self:items(tree, item[2])
    elseif what == "blocks" then
      self:blocks(tree, item)
    else
      local range, value = self:number(what)
      self.values[item[2]] = value
      tree:add(f[item[2]], range, value)
    end
  end
end

-- The number that ends in these bits and lies nearest to what is expected (RFC 9000 appendix A.3).
local function expand(truncated, bits, expected)
  local span = 2 ^ bits
  local value = expected - expected % span + truncated
  if value + span / 2 <= expected then return value + span end
  if value > expected + span / 2 and value >= span then return value - span end
  return value
end

-- What comes next in each direction and space, and the whole numbers of the packets that were read.
local following, whole

function tack.init()
  following, whole = {}, {}
end

local function way(pinfo, what)
  local from = tostring(pinfo.src) .. ":" .. pinfo.src_port
  return what .. from .. ">" .. tostring(pinfo.dst) .. ":" .. pinfo.dst_port
end

local function expanded(pinfo, what, truncated, bits, step)
  local place = pinfo.number .. what
  if not whole[place] then
    local key = way(pinfo, what)
    local value = bits == 64 and truncated or expand(truncated, bits, following[key] or 0)
    following[key] = math.max(following[key] or 0, value + step)
    whole[place] = value
  end
  return whole[place]
end

local function header(tree, reader, pinfo)
  local first = reader:take(1)
  local byte = first:uint()
  tree:add(f.version, first)
  tree:add(f.space, first)
  if tack.prefs.id_len > 0 then tree:add(f.id, reader:take(tack.prefs.id_len)) end
  local length = bit32.band(byte, 0x08) ~= 0 and 8 or bit32.band(byte, 3) + 1
  local range = reader:take(length)
  local data = bit32.band(byte, 0x10) == 0
  tree:add(f.number_wire, range, range:uint64())
  local number = expanded(pinfo, data and "data" or "feedback", range:uint64():tonumber(), 8 * length, 1)
  tree:add(f.number, range, UInt64(number % 2 ^ 32, math.floor(number / 2 ^ 32))):set_generated()
  if data then
    tree:add(f.pkt_seq, range, UInt64(number % 2 ^ 32, math.floor(number / 2 ^ 32))):set_generated()
  end
end

local function data_frame(tree, reader, pinfo, size)
  local kind = reader:take(1)
  local sub = tree:add(f.frame, kind)
  for _, flag in ipairs(DATA_FLAGS) do sub:add(f[flag[2]], kind) end
  reader:items(sub, DATA.items)
  local payload = size - tack.prefs.tag_len - reader.at
  local offset = expanded(pinfo, "seq", reader.values.seq, 32, payload)
  sub:add(f.offset, UInt64(offset % 2 ^ 32, math.floor(offset / 2 ^ 32))):set_generated()
  sub:add(f.payload, payload):set_generated()
  local there = math.min(payload, reader.tvb:len() - reader.at)
  if there > 0 then sub:add(f.payload_data, reader:take(there)) end
end

local function frames(tree, reader, pinfo, size)
  local said = {}
  while reader.at < reader.limit do
    local range = reader.tvb:range(reader.at, 1)
    local kind = range:uint()
    if kind - kind % 8 == DATA.kind then
      said[#said + 1] = DATA.name
      data_frame(tree, reader, pinfo, size)
      break
    end
    local layout = CONTROL[kind]
    if not layout then error("no frame has the type " .. kind, 0) end
    reader:take(1)
    if kind ~= 0 then
      said[#said + 1] = layout.name
      local sub = tree:add(f.frame, range)
      reader.values = {}
      reader:items(sub, layout.items)
      sub:set_len(reader.at - range:offset())
      -- Data begins with the number that the handshake told.
      local number = reader.values["offer.first_number"]
      local key = way(pinfo, "data")
      if number and not following[key] then following[key] = number:tonumber() end
    end
  end
  return table.concat(said, ", ")
end

function tack.dissector(tvb, pinfo, root)
  -- The version stands in the top bits; another one is somebody else's packet.
  if tvb:len() < 2 or math.floor(tvb:range(0, 1):uint() / 32) ~= VERSION then return 0 end
  local size = tvb:reported_len()
  local tree = root:add(tack, tvb:range())
  local limit = math.min(tvb:len(), size - tack.prefs.tag_len)
  local reader = setmetatable({ tvb = tvb, at = 0, limit = limit, values = {} }, Reader)
  local fine, said = pcall(function()
    header(tree, reader, pinfo)
    return frames(tree, reader, pinfo, size)
  end)
  pinfo.cols.protocol = "TACK"
  if fine then
    pinfo.cols.info = said
  else
    tree:add_proto_expert_info(wrong, tostring(said))
  end
  if tvb:len() == size and tack.prefs.tag_len > 0 and limit >= 0 then
    tree:add(f.tag, tvb:range(limit, tack.prefs.tag_len))
  end
  return tvb:len()
end

local ports, port = DissectorTable.get("udp.port"), nil
local function use_port()
  if port then ports:remove(port, tack) end
  port = tack.prefs.port
  ports:add(port, tack)
end
tack.prefs_changed = use_port
use_port()
