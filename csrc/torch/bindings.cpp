// The module mytriton._C: what Python sees of the core. The only use of pybind11's bindings.
#include <ATen/core/dispatch/Dispatcher.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <torch/csrc/Exceptions.h>
#include <torch/version.h>

#include "cpu/compile.h"
#include "cpu/emit.h"
#include "cuda/nvrtc.h"
#include "disk/cache.h"
#include "front/promote.h"
#include "front/trace.h"
#include "ir/parse.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "passes/passes.h"
#include "torch/elementwise_bindings.h"
#include "torch/launch.h"
#include "torch/op_gate.h"
#include "torch/ops.h"

namespace py = pybind11;

namespace mytriton {

namespace {

// (file, line, end_line, col, end_col), as source.py makes it; None where unknown.
Loc to_loc(const py::object& place) {
    if (place.is_none()) return {};
    auto [file, line, end_line, col, end_col] =
        place.cast<std::tuple<std::string, int, int, int, int>>();
    return {file, line, end_line, col, end_col};
}

Op to_op(const std::string& name) {
    if (std::optional<Op> op = find_op(name)) return *op;
    throw InternalError("to_op", "no op is called " + name);
}

Scalar to_scalar(const std::string& name) {
    if (std::optional<Scalar> scalar = find_scalar(name)) return *scalar;
    throw InternalError("to_scalar", "no element type is called " + name);
}

// Attribute name -> the word or number that it has.
using Attrs = std::vector<std::pair<std::string, std::string>>;

std::vector<Attr> to_attrs(const Attrs& attrs) {
    std::vector<Attr> out;
    for (const auto& [name, word] : attrs) {
        std::optional<AttrKey> key = find_attr_key(name);
        if (!key) throw InternalError("to_attrs", "no attribute is called " + name);
        std::optional<int64_t> value = find_attr_word(*key, word);
        out.push_back({*key, value ? *value : std::stoll(word)});
    }
    return out;
}

py::object to_place(const Loc& loc) {
    if (!loc.known()) return py::none();
    return py::make_tuple(loc.file, loc.line, loc.end_line, loc.col, loc.end_col);
}

// The message, and the place where one is known, as a mytriton.CompileError.
void set_compile_error(const CompileError& error) {
    py::object type = py::module_::import("mytriton.errors").attr("CompileError");
    py::object instance = type(error.what(), to_place(error.loc()));
    PyErr_SetObject(type.ptr(), instance.ptr());
}

py::list op_rows() {
    py::list rows;
    for (int i = 0; i < op_count(); ++i) {
        const OpInfo& row = info(static_cast<Op>(i));
        py::dict each;
        each["name"] = std::string(row.name);
        each["kind"] = row.kind == OpKind::pure     ? "pure"
                       : row.kind == OpKind::reduce ? "reduce"
                       : row.kind == OpKind::scan   ? "scan"
                                                    : "structural";
        each["operands"] = row.operands;
        each["python"] = std::string(row.python);
        each["torch"] = std::string(row.torch);
        each["doc"] = std::string(row.doc);
        py::list derivative;
        for (std::string_view text : row.derivative)
            if (!text.empty()) derivative.append(std::string(text));
        each["derivative"] = py::tuple(derivative);
        each["no_derivative"] = std::string(row.no_derivative);
        py::list types;
        for (int s = 0; s < scalar_count() && row.kind != OpKind::structural; ++s)
            if (Scalar scalar = static_cast<Scalar>(s); accepts(row.op, scalar))
                types.append(std::string(info(scalar).name));
        each["types"] = types;
        each["expressions"] = py::make_tuple(std::string(row.text[0]), std::string(row.text[1]),
                                             std::string(row.text[2]));
        each["ulp"] = py::make_tuple(row.accuracy.cpu, row.accuracy.cuda, row.accuracy.cuda_f64);
        rows.append(each);
    }
    return rows;
}

py::list dtype_rows() {
    py::list rows;
    for (int i = 0; i < scalar_count(); ++i) {
        const ScalarInfo& row = info(static_cast<Scalar>(i));
        py::dict each;
        each["ir"] = std::string(row.name);
        each["name"] = std::string(row.language);
        each["short"] = std::string(row.short_name);
        each["bits"] = row.bits();
        each["kind"] = row.is_float() ? "float" : row.is_int() ? "int" : "bool";
        rows.append(each);
    }
    return rows;
}

PointerForms to_forms(const std::vector<int>& forms) {
    PointerForms out;
    for (int form : forms) out.push_back(static_cast<PointerForm>(form));
    return out;
}

auto end_loop(Trace& trace, const std::vector<NodeId>& values) {
    LoopEnd end = trace.end_loop(values);
    std::vector<int> forms;
    for (PointerForm form : end.forms) forms.push_back(static_cast<int>(form));
    return std::pair(end.results, forms);
}

void bind_trace(py::module_& m) {
    using Place = const py::object&;
    py::class_<TraceMark>(m, "TraceMark");
    py::class_<Trace>(m, "Trace")
        .def(py::init([](const std::string& name, int num_warps, bool lane_layout, bool fast) {
                 return Trace(name, {num_warps, lane_layout, fast});
             }),
             py::arg("name"), py::arg("num_warps") = 0, py::arg("lane_layout") = false,
             py::arg("fast") = false)
        .def_property_readonly("name", &Trace::name)
        .def("pointer_param",
             [](Trace& t, const std::string& name, const std::string& element) {
                 return t.param(name, Type::pointer(to_scalar(element)));
             })
        .def("scalar_param",
             [](Trace& t, const std::string& name, const std::string& scalar) {
                 return t.param(name, Type::scalar(to_scalar(scalar)));
             })
        .def("bool_constant", &Trace::bool_constant)
        .def("int_constant", &Trace::int_constant)
        .def("uint_constant", &Trace::uint_constant)
        .def("float_constant", &Trace::float_constant)
        .def("program_id",
             [](Trace& t, int64_t axis, Place at) { return t.program_id(axis, to_loc(at)); })
        .def("num_programs",
             [](Trace& t, int64_t axis, Place at) { return t.num_programs(axis, to_loc(at)); })
        .def("arange",
             [](Trace& t, int64_t a, int64_t b, Place at) { return t.arange(a, b, to_loc(at)); })
        .def("apply", [](Trace& t, const std::string& op, std::vector<NodeId> operands,
                         Place at) { return t.apply(to_op(op), std::move(operands), to_loc(at)); })
        .def("true_divide",
             [](Trace& t, NodeId a, NodeId b, Place at) { return t.true_divide(a, b, to_loc(at)); })
        .def("cast",
             [](Trace& t, NodeId value, const std::string& to, bool towards_zero, Place at) {
                 return t.cast(value, to_scalar(to), towards_zero, to_loc(at));
             })
        .def("bitcast", [](Trace& t, NodeId value, const std::string& to,
                           Place at) { return t.bitcast(value, to_scalar(to), to_loc(at)); })
        .def("cast_to_pointer",
             [](Trace& t, NodeId value, const std::string& pointee, Place at) {
                 return t.cast_to_pointer(value, to_scalar(pointee), to_loc(at));
             })
        .def("cast_to_address", [](Trace& t, NodeId pointer,
                                   Place at) { return t.cast_to_address(pointer, to_loc(at)); })
        .def("splat", [](Trace& t, NodeId value, const std::vector<int64_t>& shape,
                         Place at) { return t.splat(value, shape, to_loc(at)); })
        .def("reshape", [](Trace& t, NodeId value, const std::vector<int64_t>& shape,
                           Place at) { return t.reshape(value, shape, to_loc(at)); })
        .def("broadcast_to", [](Trace& t, NodeId value, const std::vector<int64_t>& shape,
                                Place at) { return t.broadcast_to(value, shape, to_loc(at)); })
        .def("permute", [](Trace& t, NodeId value, const std::vector<int64_t>& order,
                           Place at) { return t.permute(value, order, to_loc(at)); })
        .def("join", [](Trace& t, NodeId a, NodeId b,
                        Place at) { return t.combine_blocks(Op::join, a, b, to_loc(at)); })
        .def("cat", [](Trace& t, NodeId a, NodeId b,
                       Place at) { return t.combine_blocks(Op::cat, a, b, to_loc(at)); })
        .def("split", [](Trace& t, NodeId value, Place at) { return t.split(value, to_loc(at)); })
        .def("reduce",
             [](Trace& t, const std::string& op, NodeId value, std::optional<int64_t> axis,
                bool keep_dims,
                Place at) { return t.reduce(to_op(op), value, axis, keep_dims, to_loc(at)); })
        .def("scan", [](Trace& t, const std::string& op, NodeId value, int64_t axis, bool reverse,
                        Place at) { return t.scan(to_op(op), value, axis, reverse, to_loc(at)); })
        .def("sort", [](Trace& t, NodeId value, bool descending,
                        Place at) { return t.sort(value, descending, to_loc(at)); })
        .def("gather", [](Trace& t, NodeId src, NodeId index, int64_t axis,
                          Place at) { return t.gather(src, index, axis, to_loc(at)); })
        .def("histogram",
             [](Trace& t, NodeId input, int64_t bins, std::optional<NodeId> mask, Place at) {
                 return t.histogram(input, bins, mask.value_or(kNoNode), to_loc(at));
             })
        .def("load",
             [](Trace& t, NodeId pointer, std::optional<NodeId> mask, std::optional<NodeId> other,
                const Attrs& attrs, Place at) {
                 return t.load(pointer, mask.value_or(kNoNode), other.value_or(kNoNode),
                               to_attrs(attrs), to_loc(at));
             })
        .def("store",
             [](Trace& t, NodeId pointer, NodeId value, std::optional<NodeId> mask,
                const Attrs& attrs, Place at) {
                 t.store(pointer, value, mask.value_or(kNoNode), to_attrs(attrs), to_loc(at));
             })
        .def("atomic_rmw",
             [](Trace& t, NodeId pointer, NodeId value, std::optional<NodeId> mask,
                const Attrs& attrs, Place at) {
                 return t.atomic_rmw(pointer, value, mask.value_or(kNoNode), to_attrs(attrs),
                                     to_loc(at));
             })
        .def("atomic_cas",
             [](Trace& t, NodeId pointer, NodeId compare, NodeId value, const Attrs& attrs,
                Place at) {
                 return t.atomic_cas(pointer, compare, value, to_attrs(attrs), to_loc(at));
             })
        .def("device_assert", [](Trace& t, NodeId condition, const std::string& text,
                                 Place at) { t.device_assert(condition, text, to_loc(at)); })
        .def("print", [](Trace& t, const std::string& text, std::vector<NodeId> values, bool hex,
                         Place at) { t.print(text, std::move(values), hex, to_loc(at)); })
        .def("begin_if",
             [](Trace& t, NodeId condition, Place at) { t.begin_if(condition, to_loc(at)); })
        .def(
            "begin_else", [](Trace& t, Place) { t.begin_else(); }, py::arg("place") = py::none())
        .def("end_if",
             [](Trace& t, const std::vector<std::optional<NodeId>>& then_values,
                const std::vector<std::optional<NodeId>>& else_values) {
                 std::vector<NodeId> arms[2];
                 for (const auto& each : then_values) arms[0].push_back(each.value_or(kNoNode));
                 for (const auto& each : else_values) arms[1].push_back(each.value_or(kNoNode));
                 return t.end_if(arms[0], arms[1]);
             })
        .def("begin_for",
             [](Trace& t, NodeId start, NodeId stop, NodeId step, const std::vector<NodeId>& inits,
                const std::vector<int>& forms, Place at) {
                 std::vector<NodeId> known =
                     t.begin_for(start, stop, step, inits, to_forms(forms), to_loc(at));
                 return std::pair(known.front(),
                                  std::vector<NodeId>(known.begin() + 1, known.end()));
             })
        .def("begin_while",
             [](Trace& t, const std::vector<NodeId>& inits, const std::vector<int>& forms,
                Place at) { return t.begin_while(inits, to_forms(forms), to_loc(at)); })
        .def("condition", [](Trace& t, NodeId value, Place at) { t.condition(value, to_loc(at)); })
        .def("end_for", end_loop)
        .def("end_while", end_loop)
        .def("zero",
             [](Trace& t, const std::string& scalar, bool pointer,
                const std::vector<int64_t>& shape, Place at) {
                 Scalar of = to_scalar(scalar);
                 Type element = pointer ? Type::pointer(of) : Type::scalar(of);
                 return t.zero(element.with_shape(shape), to_loc(at));
             })
        .def("mark", &Trace::mark)
        .def("rewind", &Trace::rewind)
        .def("scalar", [](const Trace& t,
                          NodeId node) { return std::string(info(t.type(node).scalar()).name); })
        .def("is_pointer", [](const Trace& t, NodeId node) { return t.type(node).is_pointer(); })
        .def("shape",
             [](const Trace& t, NodeId node) { return py::tuple(py::cast(t.type(node).shape())); })
        .def("type", [](const Trace& t, NodeId node) { return t.type(node).str(); });
}

void bind_artifact(py::module_& m) {
    py::class_<Artifact, std::shared_ptr<Artifact>>(m, "Artifact")
        .def(py::init([](const Trace& trace) { return std::make_shared<Artifact>(trace.graph()); }))
        .def("expressions", [](const Artifact& a) { return print_graph(a.graph()); })
        .def("ssa_body", [](const Artifact& a) { return print_body(a.ssa()); })
        .def("stage", [](const Artifact& a,
                         const std::string& name) { return stage_text(a.ssa(), name).text; })
        .def("stage_places",
             [](const Artifact& a, const std::string& name) {
                 py::list places;
                 for (LocId loc : stage_text(a.ssa(), name).locs)
                     places.append(to_place(a.ssa().locs()[loc]));
                 return places;
             })
        .def("cuda_image",
             [](Artifact& a, const std::string& arch) {
                 py::gil_scoped_release release;
                 std::string image = a.cuda_image(arch);
                 py::gil_scoped_acquire acquire;
                 return py::bytes(image);
             })
        .def("register_op",
             [](std::shared_ptr<Artifact> a, const std::string& name) { register_op(name, a); });
}

// Hand-written SSA, for mytriton.opt.
void bind_kernel(py::module_& m) {
    py::class_<Kernel>(m, "Kernel")
        .def("verify", [](const Kernel& k) { verify(k); })
        .def("run_passes",
             [](const Kernel& k, const std::vector<std::string>& names) {
                 return run_passes(k, passes_called(names));
             })
        .def("stage",
             [](const Kernel& k, const std::string& name) { return stage_text(k, name).text; });
    m.def("parse_kernel", parse_kernel);
    m.def("pass_names", [] {
        std::vector<std::string> names;
        for (const Pass& pass : default_passes()) names.push_back(pass.name);
        return names;
    });
    m.def("stage_names", stage_names);
}

void bind_disk_cache(py::module_& m) {
    set_cache_warning(warn);
    m.def("disk_cache_version", [] { return kVersion; });
    m.def("disk_cache_folder", [] {
        DiskCache* cache = disk_cache();
        return cache ? std::optional(cache->folder()) : std::nullopt;
    });
    m.def("disk_cache_entries", [] {
        std::vector<py::tuple> out;
        DiskCache* cache = disk_cache();
        for (const ListedBinary& each : cache ? cache->list() : std::vector<ListedBinary>())
            out.push_back(py::make_tuple(each.kind, each.kernel, each.target, each.size, each.used,
                                         each.file));
        return out;
    });
    m.def("clear_disk_cache", [] { return disk_cache() ? disk_cache()->clear() : size_t{0}; });
}

}  // namespace

void set_python_error() {
    try {
        throw;
    } catch (const CompileError& error) {
        set_compile_error(error);
    } catch (const ValueError& error) {
        PyErr_SetString(PyExc_ValueError, error.what());
    } catch (const AssertionFailed& error) {
        PyErr_SetString(PyExc_AssertionError, error.what());
    } catch (const InternalError& error) {
        PyErr_SetString(PyExc_SystemError, error.what());
    } catch (const std::bad_alloc&) {
        PyErr_NoMemory();
    } catch (...) {  // torch's own, and Python errors that passed through its dispatcher
        torch::translate_exception_to_python(std::current_exception());
    }
}

}  // namespace mytriton

PYBIND11_MODULE(_C, m) {
    using namespace mytriton;
    m.doc() = "The compiler core of mytriton and its bridge to torch.";
    m.attr("TORCH_BUILD_VERSION") = TORCH_VERSION;
    py::register_exception_translator([](std::exception_ptr error) {
        if (!error) return;
        try {
            std::rethrow_exception(error);
        } catch (const CompileError& e) {
            set_compile_error(e);
        } catch (const ValueError& e) {
            PyErr_SetString(PyExc_ValueError, e.what());
        } catch (const AssertionFailed& e) {
            PyErr_SetString(PyExc_AssertionError, e.what());
        } catch (const TypingError& e) {
            PyErr_SetString(PyExc_TypeError, e.what());
        } catch (const InternalError& e) {
            PyErr_SetString(PyExc_SystemError, e.what());
        }
    });
    bind_trace(m);
    bind_artifact(m);
    bind_kernel(m);
    m.def("op_rows", op_rows, "The rows of ops.def.");
    m.def("attr_words", [](const std::string& name) {
        std::vector<std::string> words;
        AttrKey key = find_attr_key(name).value();
        for (int64_t i = 0; i < word_count(key); ++i) words.push_back(attr_value({key, i}));
        return words;
    });
    m.def("dtype_rows", dtype_rows, "The rows of dtypes.def.");
    m.def("promote",
          [](const std::string& a, bool a_weak, const std::string& b, bool b_weak, bool division) {
              Promotable left{to_scalar(a), a_weak}, right{to_scalar(b), b_weak};
              return std::string(info(promote_operands("", left, right, division).scalar).name);
          });
    m.def("add_op_gate", add_op_gate,
          "Checks each call of an op that Python defines; those that want a derivative go to the "
          "other op.");
    m.def("find_host_compiler", find_host_compiler);
    m.def("cpu_translation_unit", cpu_translation_unit);
    m.def("set_nvrtc_search_paths", set_nvrtc_search_paths);
    m.def("nvrtc_available", nvrtc_available);
    m.def("nvrtc_compile",
          [](const std::string& text, const std::string& name, const std::string& arch) {
              py::gil_scoped_release release;
              Cubin cubin = nvrtc_compile(text, name, {arch});
              py::gil_scoped_acquire acquire;
              return py::bytes(cubin.image);
          });
    bind_disk_cache(m);
    if (!add_launch_cache(m.ptr())) throw py::error_already_set();
    bind_elementwise(m);
}
