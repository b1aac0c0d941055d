// CUDA tensors for a torch without CUDA, in the memory of the fake driver: the least that launches
// and elementwise functions need. A library that tests load into a process of their own.
#include <ATen/core/Tensor.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

#include <cstring>

extern "C" {
void* fake_alloc(size_t bytes);
void* fake_context(int device);
void* fake_stream(int device, int index);
void fake_set_capture(void* stream, int status);
int fake_replay(void* stream);
const char* fake_log();
void fake_fail(const char* call, int after, int result);
int cuInit(unsigned flags);
int cuDevicePrimaryCtxRetain(void** context, int device);
int cuCtxSetCurrent(void* context);
}

namespace {

constexpr int kDevices = 3;

struct Now {
    int device = 0;
    int streams[kDevices] = {-1, -1, -1};  // current ones: -1 is the default stream
};
thread_local Now now;

// As the CUDA runtime does it, the device's context becomes current with the device.
void set_device(int device) {
    void* context = nullptr;
    cuInit(0);
    cuDevicePrimaryCtxRetain(&context, device);
    cuCtxSetCurrent(context);
    now.device = device;
}

struct Guard final : c10::impl::DeviceGuardImplInterface {
    static c10::Device on(int device) {
        return {c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(device)};
    }
    c10::DeviceType type() const override { return c10::DeviceType::CUDA; }
    c10::Device getDevice() const override { return on(now.device); }
    c10::Device exchangeDevice(c10::Device device) const override {
        const int before = now.device;
        if (device.index() != before) set_device(device.index());
        return on(before);
    }
    void setDevice(c10::Device device) const override { set_device(device.index()); }
    void uncheckedSetDevice(c10::Device device) const noexcept override {
        if (device.index() != now.device) set_device(device.index());
    }
    c10::Stream getStream(c10::Device device) const override {
        return c10::Stream(c10::Stream::UNSAFE, device, now.streams[device.index()] + 1);
    }
    c10::Stream exchangeStream(c10::Stream stream) const override {
        const c10::Stream before = getStream(stream.device());
        now.streams[stream.device_index()] = static_cast<int>(stream.id()) - 1;
        return before;
    }
    void* getStreamNativeHandle(const c10::Stream stream) const override {
        if (stream.id() == 0) return nullptr;
        return fake_stream(stream.device_index(), static_cast<int>(stream.id()) - 1);
    }
    c10::DeviceIndex deviceCount() const noexcept override { return kDevices; }
};
C10_REGISTER_GUARD_IMPL(CUDA, Guard);

at::Tensor make(at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType dtype, int device) {
    int64_t extent = 1;
    for (size_t i = 0; i < sizes.size(); ++i)
        extent = sizes[i] == 0 || extent == 0 ? 0 : extent + (sizes[i] - 1) * strides[i];
    const size_t bytes = static_cast<size_t>(extent) * c10::elementSize(dtype);
    void* memory = fake_alloc(bytes);
    c10::Storage storage(c10::Storage::use_byte_size_t(), bytes,
                         at::DataPtr(memory, Guard::on(device)), nullptr, false);
    at::Tensor out = at::detail::make_tensor<c10::TensorImpl>(
        std::move(storage), c10::DispatchKeySet(c10::DispatchKey::CUDA),
        c10::scalarTypeToTypeMeta(dtype));
    out.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides);
    return out;
}

int index_of(std::optional<c10::Device> device) {
    return device && device->has_index() ? device->index() : now.device;
}

at::Tensor empty_strided(at::IntArrayRef sizes, at::IntArrayRef strides,
                         std::optional<at::ScalarType> dtype, std::optional<at::Layout>,
                         std::optional<c10::Device> device, std::optional<bool>) {
    return make(sizes, strides, dtype.value_or(at::kFloat), index_of(device));
}

at::Tensor empty(at::IntArrayRef sizes, std::optional<at::ScalarType> dtype,
                 std::optional<at::Layout>, std::optional<c10::Device> device, std::optional<bool>,
                 std::optional<at::MemoryFormat>) {
    std::vector<int64_t> strides(sizes.size(), 1);
    for (size_t i = sizes.size(); i > 1; --i)
        strides[i - 2] = strides[i - 1] * std::max<int64_t>(sizes[i - 1], 1);
    return make(sizes, strides, dtype.value_or(at::kFloat), index_of(device));
}

at::Tensor as_strided(const at::Tensor& self, at::IntArrayRef sizes, at::IntArrayRef strides,
                      std::optional<int64_t> offset) {
    at::Tensor out = at::detail::make_tensor<c10::TensorImpl>(
        c10::TensorImpl::VIEW, c10::Storage(self.storage()), self.key_set(), self.dtype());
    out.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides,
                                                     offset.value_or(self.storage_offset()));
    return out;
}

at::Tensor to_device(const at::Tensor& from, int64_t device) {
    at::Tensor out =
        make(from.sizes(), from.strides(), from.scalar_type(), static_cast<int>(device));
    std::memcpy(out.mutable_data_ptr(), from.const_data_ptr(), out.storage().nbytes());
    return out;
}

// Contents of the tensor's first element on.
at::Tensor& to_host(const at::Tensor& from, at::Tensor& to) {
    std::memcpy(to.mutable_data_ptr(), from.const_data_ptr(), to.storage().nbytes());
    return to;
}

TORCH_LIBRARY_IMPL(aten, CUDA, m) {
    m.impl("empty.memory_format", empty);
    m.impl("empty_strided", empty_strided);
    m.impl("as_strided", as_strided);
}

TORCH_LIBRARY(fake_cuda, m) {
    m.def("to_device(Tensor x, int device) -> Tensor", to_device);
    m.def("to_host(Tensor x, Tensor(a!) to) -> Tensor(a!)", to_host);
    m.def("set_device(int device) -> ()", [](int64_t device) { set_device(int(device)); });
    m.def("current_device() -> int", []() -> int64_t { return now.device; });
    // -1: the default stream; 0 and 1 wait for it, 2 and 3 do not.
    m.def("set_stream(int device, int index) -> ()",
          [](int64_t device, int64_t index) { now.streams[device] = static_cast<int>(index); });
    m.def("set_capture(int device, int index, bool on) -> ()",
          [](int64_t device, int64_t index, bool on) {
              fake_set_capture(fake_stream(int(device), int(index)), on);
          });
    m.def("replay(int device, int index) -> int", [](int64_t device, int64_t index) -> int64_t {
        return fake_replay(fake_stream(int(device), int(index)));
    });
    m.def("stream_address(int device, int index) -> int",
          [](int64_t device, int64_t index) -> int64_t {
              return reinterpret_cast<int64_t>(fake_stream(int(device), int(index)));
          });
    m.def("fail(str call, int after, int result) -> ()",
          [](const std::string& call, int64_t after, int64_t result) {
              fake_fail(call.c_str(), int(after), int(result));
          });
    m.def("log() -> str", []() -> std::string { return fake_log(); });
}

}  // namespace
